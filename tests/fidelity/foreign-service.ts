import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Values } from "../values";
import { fieldsOf } from "./fields";

/**
 * A service of the API, written from its description alone. Where that is silent the service decides in its own way,
 * which is another than this package expects: settings have to be enough to work with it.
 */
export interface Deviations {
  /** Secrets are read, listed, made and deleted under another path. */
  otherPaths?: boolean;
  /** Update masks are in camel case; any other is refused. */
  camelMasks?: boolean;
  /** Errors are sentences, not JSON. */
  textErrors?: boolean;
  /** An update replaces the whole object by the body, whatever its mask says. */
  replaces?: boolean;
  /** `validateOnly` is not known, so that such a create makes an object. */
  obeysValidations?: boolean;
  /** The service names what is made, whatever id was asked for. */
  ownIds?: boolean;
  /** Lists come one by one, with an empty page between and no total. */
  smallPages?: boolean;
  /** Writes are accepted with 202, and done two reads later. */
  takesTime?: boolean;
  /** Fields and parameters that the description does not have are refused. */
  strict?: boolean;
  /** Answers have every field, with its zero value where it is unset. */
  emitsUnset?: boolean;
  /** A single secret cannot be read. */
  readsNoSecret?: boolean;
  /** What is deleted stays for a while, in the state DELETED. */
  tombstones?: boolean;
  /** Names have a version, numbers are text, words are in one form or cut, and each answer has a new etag. */
  ownForms?: boolean;
}

/** What a user has to set so that this package works with such a service. */
export function settingsFor({ otherPaths, camelMasks, replaces, readsNoSecret }: Deviations): Record<string, string> {
  const secrets = "/v1/accounts/{account}/vault";
  const moved = Object.fromEntries([
    ...["getSecret", "deleteSecret"].map((name) => [name, { path: `${secrets}/{secretId}` }]),
    ...["listSecrets", "createSecret"].map((name) => [name, { path: secrets }]),
  ]) as Record<string, unknown>;
  const operations = { ...(otherPaths && moved), ...(readsNoSecret && { getSecret: "off" }) };
  return {
    ...(Object.keys(operations).length > 0 && { "modelplatform:operations": JSON.stringify(operations) }),
    ...(camelMasks && { "modelplatform:updateMask": "camel" }),
    ...(replaces && !camelMasks && { "modelplatform:updateMask": "off" }),
  };
}

interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Values;
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export class ForeignService {
  readonly objects = new Map<string, Values>();
  /** Reads of what is under way until it is done. */
  private readonly pending = new Map<string, number>();
  private made = 0;
  private ticks = 0;
  /** `METHOD path` of what could have changed something. */
  readonly writes: string[] = [];

  private constructor(
    private readonly deviations: Deviations,
    private readonly server: Server,
  ) {}

  static async start(deviations: Deviations): Promise<ForeignService> {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => void pieces.push(piece));
      request.on("end", () => {
        const url = new URL(request.url!, "http://service");
        const text = Buffer.concat(pieces).toString();
        const body = text === "" ? {} : (JSON.parse(text) as Values);
        const { status, answer } = service.answerTo({
          ...{ method: request.method!, path: url.pathname, query: url.searchParams, body },
        });
        const isText = typeof answer === "string";
        response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json" });
        response.end(isText ? answer : JSON.stringify(answer));
      });
    });
    const service = new ForeignService(deviations, server);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Live objects of a collection, without what each write moves. */
  live(collection: string): Values[] {
    return [...this.objects.values()]
      .filter(({ name, state }) => String(name).includes(`/${collection}/`) && state !== "DELETED")
      .map(({ updateTime: _, ...rest }) => rest);
  }

  private answerTo(asked: Asked): { status: number; answer: unknown } {
    if (asked.method !== "GET") this.writes.push(`${asked.method} ${asked.path}`);
    try {
      const status = this.deviations.takesTime && asked.method !== "GET" && asked.method !== "DELETE" ? 202 : 200;
      return { status, answer: this.carryOut(asked) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message } = error;
      return { status, answer: this.deviations.textErrors ? `${message}.` : { code, message, details: [] } };
    }
  }

  private carryOut(asked: Asked): unknown {
    const { method, query } = asked;
    const name = this.nameOf(asked);
    const [, account, collection, id] = name.split("/");
    if (account === undefined) return method === "GET" ? { accounts: [] } : this.unknown();
    if (account !== "acme") throw new Refusal(403, 7, `no access to the account ${account}`);
    if (collection === "policySettings") return this.settings(asked, name);
    if (collection === undefined || fieldsOf(collection) === undefined) return this.unknown();
    this.refuseUnknown(collection, asked);
    if (id === undefined) return method === "GET" ? this.list(collection, query) : this.create(collection, asked);
    if (method === "GET" && collection === "secrets" && this.deviations.readsNoSecret)
      throw new Refusal(501, 12, "a single secret cannot be read");
    const object = this.find(name);
    if (method === "GET") return this.shown(object);
    if (method === "PATCH") return this.update(name, collection, asked);
    if (method !== "DELETE") return this.unknown();
    if (this.deviations.tombstones) this.objects.set(name, { ...object, state: "DELETED" });
    else this.objects.delete(name);
    return {};
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

  private settings({ method, body }: Asked, name: string): Values {
    if (method === "GET") return this.find(name);
    const object = { ...this.objects.get(name), ...body, name, updateTime: this.now() };
    this.objects.set(name, object);
    return object;
  }

  private list(collection: string, query: URLSearchParams): Values {
    const all = this.live(collection).map(({ name }) => this.shown(this.find(String(name))));
    if (!this.deviations.smallPages) return { [collection]: all, nextPageToken: "", totalSize: all.length };
    const at = Number(query.get("pageToken") ?? 0);
    const page = at % 2 === 0 ? all.slice(at / 2, at / 2 + 1) : [];
    return { [collection]: page, ...(at + 1 < all.length * 2 && { nextPageToken: String(at + 1) }) };
  }

  private create(collection: string, { query, body }: Asked): Values {
    const { idParameter, state } = fieldsOf(collection)!;
    const { name: wanted, ...fields } = body;
    const asked = query.get(idParameter) ?? (typeof wanted === "string" ? wanted.split("/").at(-1) : undefined);
    this.made += 1;
    const id = this.deviations.ownIds || !asked ? `${collection.slice(0, 2)}-${this.made}` : asked;
    const name = `accounts/acme/${collection}/${id}`;
    if (this.objects.has(name)) throw new Refusal(409, 6, `${name} exists`);
    const object = { ...fields, name, ...(state && { state }), createTime: this.now(), updateTime: this.now() };
    if (query.get("validateOnly") === "true" && !this.deviations.obeysValidations) return object;
    this.objects.set(name, object);
    if (this.deviations.takesTime) this.pending.set(name, 2);
    return this.shown(object);
  }

  private update(name: string, collection: string, { query, body }: Asked): Values {
    const before = this.find(name);
    const mask = query.get("updateMask");
    if (mask !== null && this.deviations.camelMasks && mask.includes("_"))
      throw new Refusal(400, 3, `the mask has no field ${mask}`);
    const { name: _, ...fields } = body;
    this.objects.set(name, { ...this.changed(collection, before, fields, mask), updateTime: this.now() });
    return this.shown(this.find(name));
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
  private shown(object: Values): Values {
    const name = String(object["name"]);
    const { value: _, ...rest } = object;
    const left = this.pending.get(name) ?? 0;
    if (left > 0) this.pending.set(name, left - 1);
    const { unset = {}, underWay } = fieldsOf(name.split("/")[2]!) ?? {};
    return {
      ...(this.deviations.emitsUnset && unset),
      ...rest,
      ...(this.deviations.ownForms && this.formed(rest)),
      ...(left > 0 && underWay && { state: underWay }),
    };
  }

  private formed({ baseModel, maxReplicaCount, description, displayName }: Values): Values {
    return {
      ...(baseModel !== undefined && { baseModel: `${String(baseModel)}@v1` }),
      ...(maxReplicaCount !== undefined && { maxReplicaCount: String(maxReplicaCount) }),
      ...(description !== undefined && { description: String(description).slice(0, 3) }),
      ...(displayName !== undefined && { displayName: String(displayName).normalize("NFD").trimEnd() }),
      etag: this.now(),
    };
  }

  private now(): string {
    this.ticks += 1;
    return new Date(Date.UTC(2026, 0, 1) + this.ticks * 1000).toISOString();
  }
}

const camelCase = (text: string): string => text.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const withoutNulls = (fields: Values): Values =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
