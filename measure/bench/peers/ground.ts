import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../../emulator/index";
import { openBackend } from "../../../engine/state/backend";
import { environmentIn, installPlugin, repository } from "../../../tests/e2e/engines";
import type { Values } from "../../../tests/values";
import { type RequestCounter, requestCounter } from "./requests";

/** A service account is a secret of 2.3 KB; a fleet is of deployments whose ids are nobody's choice. */
export type PeerKind = "User" | "Deployment" | "Fleet" | "Secret" | "ServiceAccount";

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
const speeds = { User: 1_000_000, Deployment: 60, Fleet: 60, Secret: 1_000_000, ServiceAccount: 1_000_000 };

const key = "demo-key";

/** A service of its own for one run of one contestant, and a program with a stack on it. */
export class Ground {
  readonly folder = mkdtempSync(join(realpathSync(tmpdir()), "peers-"));
  readonly program = join(this.folder, "program");
  readonly rollCall = join(this.folder, "processes");

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
    const ground = new Ground(scenario, emulator, url, requestCounter(url));
    if (latency > 0) await ground.control("POST", "faults", { fault: { kind: "slow", ms: latency }, times: null });
    ground.furnish(program);
    await openBackend(ground.env["PULUMI_BACKEND_URL"]!, { env: ground.env }).createStack("peers", "dev");
    return ground;
  }

  private furnish(program: string): void {
    for (const each of ["state", "home", "processes"]) mkdirSync(join(this.folder, each));
    const programs = join(__dirname, "programs");
    cpSync(join(programs, program), this.program, { recursive: true });
    cpSync(join(programs, "objects.js"), join(this.folder, "objects.js"));
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

  /** Asks the emulator's control plane. */
  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = { host: "127.0.0.1", "content-type": "application/json" };
    const answer = await this.emulator.fetch(
      new Request(`${this.url}/_emulator/${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }

  /** Live objects of the account in a collection. */
  live(collection: string): Values[] {
    const all = [...this.emulator.world.all()].map(({ fields }) => fields as Values);
    return all.filter(
      ({ name, state }) =>
        String(name).startsWith(`accounts/demo/${collection}/`) && !/(DELETED|DELETING)$/.test(String(state)),
    );
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
