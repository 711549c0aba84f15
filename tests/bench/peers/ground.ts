import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../../emulator/index";
import { openBackend } from "../../../engine/state/backend";
import { environmentIn, installPlugin, repository } from "../../e2e/engines";
import { type RequestCounter, requestCounter } from "./requests";

/** A service account is a secret of 2.3 KB. */
export type PeerKind = "User" | "Deployment" | "Secret" | "ServiceAccount";

/** What is asked of everyone alike. */
export interface PeerScenario {
  title: string;
  kind: PeerKind;
  count: number;
  /** Milliseconds that each answer takes more. */
  latency: number;
  perSecond?: number;
}

/** Users are ready at once; a deployment's four minutes take four seconds. */
const speeds = { User: 1_000_000, Deployment: 60, Secret: 1_000_000, ServiceAccount: 1_000_000 };

const key = "demo-key";

/** A service of its own for one run of one contestant, and a program with a stack on it. */
export class Ground {
  readonly folder = mkdtempSync(join(realpathSync(tmpdir()), "peers-"));
  readonly program = join(this.folder, "program");

  private constructor(
    readonly scenario: PeerScenario,
    private readonly emulator: Emulator,
    readonly url: string,
    readonly requests: RequestCounter,
  ) {}

  static async open(scenario: PeerScenario, program: string): Promise<Ground> {
    const { kind, latency, perSecond } = scenario;
    const emulator = createEmulator({
      accounts: { demo: key },
      settings: { speed: speeds[kind], ...(perSecond !== undefined && { rateLimit: { perSecond, burst: 1 } }) },
    });
    const { url } = await emulator.listen({ port: 0 });
    if (latency > 0) {
      const order = { fault: { kind: "slow", ms: latency }, times: null };
      const headers = { host: "127.0.0.1", "content-type": "application/json" };
      await emulator.fetch(
        new Request(`${url}/_emulator/faults`, { method: "POST", headers, body: JSON.stringify(order) }),
      );
    }
    const ground = new Ground(scenario, emulator, url, requestCounter(url));
    ground.furnish(program);
    await openBackend(ground.env["PULUMI_BACKEND_URL"]!, { env: ground.env }).createStack("peers", "dev");
    return ground;
  }

  private furnish(program: string): void {
    for (const each of ["state", "home"]) mkdirSync(join(this.folder, each));
    cpSync(join(__dirname, "programs", program), this.program, { recursive: true });
    symlinkSync(join(repository, "node_modules"), join(this.program, "node_modules"));
    installPlugin(this.folder);
    const project = {
      name: "peers",
      runtime: { name: "nodejs", options: { typescript: false } },
      plugins: { providers: [{ name: "modelplatform", path: "../plugins" }] },
    };
    writeFileSync(join(this.program, "Pulumi.yaml"), JSON.stringify(project));
    writeFileSync(join(this.program, "package.json"), JSON.stringify({ name: "peers", private: true }));
  }

  get env(): Record<string, string> {
    const { folder, url } = this;
    return environmentIn({ folder, url, account: "demo", apiKey: key, passphrase: "peers" });
  }

  async close(): Promise<void> {
    this.requests.stop();
    await this.emulator.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
