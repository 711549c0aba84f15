import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Values } from "../values";
import { type Answered, type Asked, type Deviations, Refusal, type Sent } from "./deviation";
import { fieldsOf } from "./fields";

export class ForeignService {
  readonly objects = new Map<string, Values>();
  /** What is left of deleted objects. */
  private readonly graves = new Map<string, Values>();
  /** Reads of what is under way until it is done. */
  private readonly pending = new Map<string, number>();
  private made = 0;
  private server: Server | undefined;
  /** `METHOD path` of what could have changed something. */
  readonly writes: string[] = [];

  constructor(
    private readonly deviations: Deviations,
    private readonly now: () => Date,
  ) {}

  static async start(deviations: Deviations): Promise<ForeignService> {
    const service = new ForeignService(deviations, () => new Date());
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => void pieces.push(piece));
      request.on("end", () => {
        const { pathname, searchParams } = new URL(request.url!, "http://service");
        const text = Buffer.concat(pieces).toString();
        const body = text === "" ? {} : (JSON.parse(text) as Values);
        const asked = { method: request.method!, path: pathname, query: searchParams, body };
        const { status, headers, bytes } = service.answerTo(asked);
        response.writeHead(status, headers).end(bytes);
      });
    });
    service.server = server;
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server!.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  /** Live objects of a collection, without what each write moves. */
  live(collection: string): Values[] {
    return [...this.objects.values()]
      .filter(({ name, state }) => String(name).split("/")[2] === collection && !isTombstone(state))
      .map(({ updateTime: _, ...rest }) => rest);
  }

  answerTo(asked: Asked): Sent {
    if (asked.method !== "GET") this.writes.push(`${asked.method} ${asked.path}`);
    const { status, body, text } = this.answered(asked);
    const isText = text !== undefined;
    const headers = { "content-type": isText ? "text/plain" : "application/json" };
    const bytes = Buffer.from(isText ? text : body === undefined ? "" : JSON.stringify(body));
    const sent = { status, headers, bytes };
    return this.deviations.sends?.(sent, asked) ?? sent;
  }

  private answered(asked: Asked): Answered {
    const { takes, answers, refuses, takesTime, textErrors } = this.deviations;
    try {
      const body = this.carryOut(takes?.(asked) ?? asked);
      const isSlow = takesTime && asked.method !== "GET" && asked.method !== "DELETE";
      const answer = { status: isSlow ? 202 : 200, body };
      return asked.method === "GET" ? answer : (answers?.(answer, asked) ?? answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message } = error;
      if (refuses) return refuses({ status, code, message }, asked);
      return textErrors ? { status, text: `${message}.` } : { status, body: { code, message, details: [] } };
    }
  }

  private carryOut(asked: Asked): unknown {
    const { method } = asked;
    const [name = "", verb] = this.nameOf(asked).split(":");
    const [, account, collection, id] = name.split("/");
    if (account === undefined) return method === "GET" ? this.accounts() : this.unknown();
    if (account !== "acme") throw new Refusal(403, 7, `no access to the account ${account}`);
    if (collection === undefined && method === "GET") return this.accounts().accounts[0];
    if (collection === "policySettings") return this.settings(asked, name);
    if (collection === undefined || fieldsOf(collection) === undefined) return this.unknown();
    this.refuseUnknown(collection, asked);
    if (verb !== undefined) return this.unknown();
    if (id === undefined) return method === "GET" ? this.list(collection, asked) : this.create(collection, asked);
    if (method === "GET" && collection === "secrets" && this.deviations.readsNoSecret)
      throw new Refusal(501, 12, "a single secret cannot be read");
    const grave = this.graves.get(name);
    if (method === "GET" && grave && !this.objects.has(name)) return grave;
    const object = this.find(name);
    if (method === "GET") return this.shown(object, asked);
    if (method === "PATCH") return this.update(name, collection, asked);
    if (method !== "DELETE") return this.unknown();
    if (this.deviations.tombstones) this.objects.set(name, { ...object, state: tombstone(collection) });
    else this.objects.delete(name);
    if (this.deviations.buries) this.graves.set(name, this.deviations.buries(object));
    return {};
  }

  private accounts() {
    const account = {
      name: "accounts/acme",
      displayName: "Acme",
      email: "owner@example.com",
      suspendState: "UNSUSPENDED",
    };
    return { accounts: [account], totalSize: 1 };
  }

  private nameOf({ method, path }: Asked): string {
    const name = decodeURIComponent(path.replace(/^\/v1\//, ""));
    if (!this.deviations.otherPaths) return name;
    // Updating is an operation of the description, and stays where that has it.
    if (/\/secrets/.test(name) && method !== "PATCH") return this.unknown();
    return name.replace("/vault", "/secrets");
  }

  private unknown(): never {
    throw new Refusal(404, 5, "Not Found");
  }

  private find(name: string): Values {
    const object = this.objects.get(name);
    if (object === undefined) throw new Refusal(404, 5, `${name} does not exist`);
    return object;
  }

  private refuseUnknown(collection: string, { method, query, body }: Asked): void {
    if (!this.deviations.strict || method === "GET" || method === "DELETE") return;
    const { inputs, parameters } = fieldsOf(collection)!;
    const own = method === "PATCH" ? ["updateMask", "skipShapeValidation"] : parameters;
    const odd = [
      ...Object.keys(body).filter((key) => !inputs.includes(key)),
      ...[...query.keys()].filter((key) => !own.includes(key)),
    ];
    if (odd.length > 0) throw new Refusal(400, 3, `unknown: ${odd.join(", ")}`);
  }

  private settings(asked: Asked, name: string): Values {
    if (asked.method === "GET") return this.shown(this.find(name), asked);
    const object = this.kept("policySettings", {
      ...this.objects.get(name),
      ...asked.body,
      name,
      updateTime: this.time(),
    });
    this.objects.set(name, withoutNulls(object));
    return this.shown(this.find(name), asked);
  }

  private list(collection: string, asked: Asked): unknown {
    const { query } = asked;
    const all = this.live(collection).map(({ name }) => this.shown(this.find(String(name)), asked));
    const { smallPages, lists } = this.deviations;
    if (!smallPages) {
      const whole = { [collection]: all, nextPageToken: "", totalSize: all.length };
      return lists ? lists(whole, collection) : whole;
    }
    const at = Number(query.get("pageToken") ?? 0);
    const page = at % 2 === 0 ? all.slice(at / 2, at / 2 + 1) : [];
    return { [collection]: page, ...(at + 1 < all.length * 2 && { nextPageToken: String(at + 1) }) };
  }

  private create(collection: string, asked: Asked): Values {
    const { query, body } = asked;
    const { idParameter, state, wrap, timeless } = fieldsOf(collection)!;
    const { name: wanted, ...fields } = wrap === undefined ? body : (body[wrap] as Values);
    const inBody = body[idParameter] ?? (typeof wanted === "string" ? wanted.split("/").at(-1) : undefined);
    const chosen = query.get(idParameter) ?? inBody;
    this.made += 1;
    const id = this.deviations.ownIds || !chosen ? `${collection.slice(0, 2)}-${this.made}` : String(chosen);
    const name = `accounts/acme/${collection}/${id}`;
    if (this.objects.has(name) && this.deviations.overwrites) {
      this.objects.set(name, { ...this.objects.get(name), ...fields });
      return this.shown(this.find(name), asked);
    }
    if (this.objects.has(name)) throw new Refusal(409, 6, `${name} exists`);
    const times = timeless ? {} : { createTime: this.time(), updateTime: this.time() };
    const object = this.kept(collection, { ...fields, name, ...(state && { state }), ...times });
    if (query.get("validateOnly") === "true" && !this.deviations.obeysValidations) return object;
    this.objects.set(name, object);
    if (/Jobs$/.test(collection)) this.trained(String(fields["outputModel"] ?? id));
    if (this.deviations.takesTime) this.pending.set(name, 2);
    return this.shown(object, asked);
  }

  /** What a job makes. */
  private trained(id: string): void {
    const name = `accounts/acme/models/${id.split("/").at(-1)!}`;
    this.objects.set(name, { name, state: "READY", createTime: this.time(), updateTime: this.time() });
  }

  private kept(collection: string, object: Values): Values {
    return this.deviations.stores?.(object, collection) ?? object;
  }

  private update(name: string, collection: string, asked: Asked): Values {
    const { query, body } = asked;
    const before = this.find(name);
    const mask = query.get("updateMask");
    if (mask !== null && this.deviations.camelMasks && mask.includes("_"))
      throw new Refusal(400, 3, `the mask has no field ${mask}`);
    const { name: _, ...fields } = body;
    const changed = this.changed(collection, before, fields, mask);
    const time = fieldsOf(collection)!.timeless ? {} : { updateTime: this.time() };
    this.objects.set(name, this.kept(collection, { ...changed, ...time }));
    return this.shown(this.find(name), asked);
  }

  private changed(collection: string, before: Values, fields: Values, mask: string | null): Values {
    const { inputs } = fieldsOf(collection)!;
    if (this.deviations.replaces) {
      const own = Object.entries(before).filter(([key]) => key === "name" || !inputs.includes(key));
      return { ...Object.fromEntries(own), ...withoutNulls(fields) };
    }
    const named = mask?.split(",").map((path) => camelCase(path.split(".")[0]!)) ?? Object.keys(fields);
    const cleared = Object.fromEntries(Object.entries(before).filter(([key]) => !named.includes(key)));
    return {
      ...cleared,
      ...withoutNulls(Object.fromEntries(Object.entries(fields).filter(([key]) => named.includes(key)))),
    };
  }

  /** An object as answers have it: without what is never answered, and not done before its time. */
  private shown(object: Values, asked: Asked): Values {
    const name = String(object["name"]);
    const { value: _, ...rest } = object;
    const left = this.pending.get(name) ?? 0;
    if (left > 0) this.pending.set(name, left - 1);
    const { unset = {}, underWay } = fieldsOf(name.split("/")[2]!) ?? {};
    const whole = {
      ...(this.deviations.emitsUnset && unset),
      ...rest,
      ...(this.deviations.ownForms && this.formed(rest)),
      ...(left > 0 && underWay && { state: underWay }),
    };
    return this.deviations.shows?.(whole, asked) ?? whole;
  }

  private formed({ baseModel, maxReplicaCount, description, displayName }: Values): Values {
    return {
      ...(baseModel !== undefined && { baseModel: `${String(baseModel)}@v1` }),
      ...(maxReplicaCount !== undefined && { maxReplicaCount: String(maxReplicaCount) }),
      ...(description !== undefined && { description: String(description).slice(0, 3) }),
      ...(displayName !== undefined && { displayName: String(displayName).normalize("NFD").trimEnd() }),
      etag: this.time(),
    };
  }

  private time(): string {
    return this.now().toISOString();
  }
}

const tombstone = (collection: string): string => (/Jobs$/.test(collection) ? "JOB_STATE_DELETED" : "DELETED");

const isTombstone = (state: unknown): boolean => /DELETED$/.test(String(state));

const camelCase = (text: string): string => text.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const withoutNulls = (fields: Values): Values =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
