import type { RecordResult } from "../../drift/history/index";
import { notificationForms } from "../../drift/notify/forms";
import { noticeOf } from "../../drift/notify/notice";
import { deliver, parseWebhook, UndeliveredError, type Webhook, type WebhookMessage } from "../../drift/notify/webhook";
import { printable, printableJson } from "../../io/text/printable";
import type { CliContext } from "../command/context";
import { usageError } from "../command/failure";
import { interruptible } from "../command/interruptible";
import type { NotifyFlags } from "./flags";

/** Tells somebody else what is new, worse or gone. */
export interface Notifier {
  /** Never fails because of the receiver: a warning says why it has not been told. */
  notify(recorded: RecordResult): Promise<void>;
}

/** Throws where the flags name no webhook that messages could go to: a scan is too long to learn that afterwards. */
export function openNotifier(address: string, flags: NotifyFlags, context: CliContext): Notifier {
  const { notifyFormat = "cloudevents", notifySecretEnv, notifyDryRun = false } = flags;
  const webhook = parseWebhook(address, (reason) => {
    throw usageError(`The address of --notify ${reason}. Give an https URL; http is for this machine only.`);
  });
  const secret = secretIn(notifySecretEnv, context);
  return {
    notify: async ({ report, delta, history }) => {
      const { scan } = history.scans.at(-1)!;
      const notice = noticeOf(report, delta, scan);
      const form = notificationForms[notifyFormat];
      const document = notice && form.bodyOf(notice);
      if (notifyDryRun) context.stderr.write(wouldSend(document, webhook));
      else if (document)
        await send(
          { id: scan, contentType: form.contentType, body: printableJson(document) },
          webhook,
          secret,
          context,
        );
    },
  };
}

const wouldSend = (document: object | undefined, { displayUrl }: Webhook): string =>
  document
    ? `Would send to ${displayUrl}:\n${printableJson(document, 2)}\n`
    : "Would send nothing: nothing is new, worse or resolved.\n";

function secretIn(name: string | undefined, { env }: CliContext): string | undefined {
  if (name === undefined) return undefined;
  const secret = env[name] ?? "";
  if (secret === "")
    throw usageError("--notify-secret-env takes the name of an environment variable, and none of that name is set.");
  return secret;
}

async function send(
  message: WebhookMessage,
  webhook: Webhook,
  secret: string | undefined,
  context: CliContext,
): Promise<void> {
  const { env, time } = context;
  try {
    await interruptible(context, {
      message: "interrupted; the report stands, but no notification was sent",
      run: (signal) => deliver(webhook, message, secret, { env, time, signal }),
    });
  } catch (error) {
    if (!(error instanceof UndeliveredError)) throw error;
    context.stderr.write(
      `warning: no notification was sent: POST ${webhook.displayUrl} ${printable(error.message)}. The report and the history have it.\n`,
    );
  }
}
