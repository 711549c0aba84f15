import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../../emulator/index";
import { openBackend } from "../../../engine/state/backend";
import { importDeployment } from "../../../engine/state/checkpoint";
import { exported, type RecordedResource } from "../../../tests/drift/support/stacks";
import type { Values } from "../../../tests/values";
import { type RequestCounter, requestCounter } from "../peers/requests";

const time = "2026-01-01T00:00:00Z";

/** A tenth deployments, three tenths secrets, the rest users. */
function objectOf(account: string, index: number): RecordedResource {
  const at = (collection: string): string => `accounts/${account}/${collection}/object-${index}`;
  const inputs: Values =
    index % 10 === 0
      ? { baseModel: "accounts/platform/models/open-8b", minReplicaCount: 0, maxReplicaCount: 2 }
      : index % 10 < 4
        ? { keyName: `KEY_${index}` }
        : { email: `user-${index}@example.com`, role: "inference-user" };
  const [kind, collection] =
    index % 10 === 0 ? ["Deployment", "deployments"] : index % 10 < 4 ? ["Secret", "secrets"] : ["User", "users"];
  return {
    kind: kind!,
    inputs,
    live: { name: at(collection!), ...inputs, state: "READY", createTime: time, updateTime: time },
  };
}

const objectsOf = (account: string, count: number): RecordedResource[] =>
  Array.from({ length: count }, (_, index) => objectOf(account, index));

const keyOf = (account: string): string => createHash("sha256").update(account).digest("base64url").slice(0, 40);

/**
 * Accounts of a service, and a folder with a stack for each. In every account one object has changed, one is gone,
 * and one is nobody's.
 */
export class Fleet {
  readonly folder = mkdtempSync(join(realpathSync(tmpdir()), "fleet-"));

  private constructor(
    readonly accounts: readonly string[],
    private readonly emulator: Emulator,
    private readonly url: string,
    readonly requests: RequestCounter,
  ) {}

  static async open(accounts: number, objects: number): Promise<Fleet> {
    const names = Array.from({ length: accounts }, (_, index) => `acme-${String(index).padStart(4, "0")}`);
    const emulator = createEmulator({
      clock: "manual",
      accounts: Object.fromEntries(names.map((account) => [account, keyOf(account)])),
    });
    const { url } = await emulator.listen({ port: 0 });
    const fleet = new Fleet(names, emulator, url, requestCounter(url));
    for (const account of names) fleet.furnish(account, objects);
    await fleet.record(objects);
    const keys = Object.fromEntries(names.map((account) => [account, { apiKey: keyOf(account) }]));
    mkdirSync(join(fleet.folder, "home"));
    writeFileSync(join(fleet.folder, "keys.json"), JSON.stringify(keys), { mode: 0o600 });
    return fleet;
  }

  private furnish(account: string, objects: number): void {
    const put = ({ kind, live }: RecordedResource): void =>
      this.emulator.world.put({ kind, name: String(live["name"]), fields: live });
    for (const [each, object] of objectsOf(account, objects).entries())
      if (each !== 10) put(each === 0 ? { ...object, live: { ...object.live, maxReplicaCount: 9 } } : object);
    put(objectOf(account, objects + 9));
  }

  /** A stack for each account: that of the first one, with the name of another in it. */
  private async record(objects: number): Promise<void> {
    const [first, ...others] = this.accounts as [string, ...string[]];
    const resources = objectsOf(first, objects).map((each) => ({ ...each, outputs: { endpoint: this.url } }));
    const stack = importDeployment(exported(resources, { project: "fleet", stack: first }));
    await openBackend(this.backend, { env: {} }).createStack("fleet", first, stack);
    const fileOf = (account: string): string => join(this.folder, "state/.pulumi/stacks/fleet", `${account}.json`);
    const text = readFileSync(fileOf(first), "utf8");
    for (const account of others) writeFileSync(fileOf(account), text.replaceAll(first, account));
  }

  /** Bytes of a file of the fleet, or of all in a folder; none where it is not there. */
  bytesIn(name: string): number {
    const path = join(this.folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isDirectory()) return found?.size ?? 0;
    return readdirSync(path).reduce((sum, each) => sum + this.bytesIn(join(name, each)), 0);
  }

  private get backend(): string {
    return `file://${join(this.folder, "state")}`;
  }

  get env(): Record<string, string> {
    return {
      PATH: process.env["PATH"]!,
      HOME: join(this.folder, "home"),
      PULUMI_BACKEND_URL: this.backend,
      MODELPLATFORM_ACCOUNTS_FILE: join(this.folder, "keys.json"),
      MODELPLATFORM_BASE_URL: this.url,
    };
  }

  async close(): Promise<void> {
    this.requests.stop();
    await this.emulator.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
