import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiRequest } from "../../emulator/types";
import { InlineSite } from "../inline/site";
import { isWrite } from "../model/transport";
import type { Ended } from "./commands";

/** A write of a command, the first of its method unless `write` says which. */
interface CutPoint {
  method: "POST" | "PATCH" | "DELETE";
  write?: number;
}

/** Files in which a run keeps what it knows: the state and the journal. */
const kept = ["state", "intents"];

/** A site in this process, whose commands can be cut off. */
export class FragileSite {
  private constructor(readonly site: InlineSite) {}

  static async open(): Promise<FragileSite> {
    return new FragileSite(await InlineSite.start({}, Date.now()));
  }

  /**
   * Runs a command that dies once the service has carried out a write, and hears of no answer. What it would have
   * written later is taken back: the files are put back as they were at that moment.
   */
  async cutOff(line: string, { method, write = 1 }: CutPoint): Promise<void> {
    const { emulator } = this.site;
    const handle = emulator.handle.bind(emulator);
    const refuse = (request: ApiRequest) =>
      handle({ ...request, headers: { ...request.headers, authorization: "Bearer of-the-dead" } });
    let writes = 0;
    let isDead = false;
    emulator.handle = async (request) => {
      if (isDead) return refuse(request);
      const answer = await handle(request);
      if (request.method === method && isWrite(request) && answer.status < 300) writes += 1;
      if (writes < write) return answer;
      isDead = true;
      this.keep("dead");
      return refuse(request);
    };
    await this.site.run(line);
    emulator.handle = handle;
    if (!isDead) throw new Error(`\`${line}\` sent no ${method} number ${write}`);
    this.putBack("dead");
  }

  /** Keeps a copy of the state and the journal. */
  keep(name: string): void {
    for (const each of kept) {
      rmSync(this.copyOf(each, name), { recursive: true, force: true });
      if (existsSync(this.path(each))) cpSync(this.path(each), this.copyOf(each, name), { recursive: true });
    }
    // A person has run `cancel`.
    rmSync(join(this.copyOf("state", name), ".pulumi/locks"), { recursive: true, force: true });
  }

  /** Puts a copy in place of what is there; of all that is kept, or of the state alone. */
  putBack(name: string, parts: readonly string[] = kept): void {
    for (const each of parts) {
      rmSync(this.path(each), { recursive: true, force: true });
      if (existsSync(this.copyOf(each, name))) renameSync(this.copyOf(each, name), this.path(each));
    }
  }

  /** So much time passes that no replica can be behind. */
  rest = (): Promise<void> => this.site.rest();

  loseJournal(): void {
    rmSync(this.path("intents"), { recursive: true, force: true });
  }

  /** No run can write its journal any longer: a file is in its folder's place. */
  blockJournal(): void {
    this.loseJournal();
    writeFileSync(this.path("intents"), "");
  }

  /** Declares, and runs a command that must end well. */
  async up(resources: object, line = "up"): Promise<Ended> {
    this.site.declare({ resources });
    return this.site.expect(0, line);
  }

  private path = (part: string): string => join(this.site.folder, part);

  private copyOf = (part: string, name: string): string => join(this.site.folder, `${part}-${name}`);
}
