import { deletingOf, ProtocolProvider } from "./protocol-provider";
import type { DeleteCall } from "./provider";

/** An instance in this process, which may be asked more than Pulumi's protocol asks. */
export class HostedProvider extends ProtocolProvider {
  async refusal(call: DeleteCall): Promise<string | undefined> {
    if (!this.configured) return undefined;
    const { calls, capabilities } = await this.connect();
    return calls.refusal?.(deletingOf(call, capabilities));
  }
}
