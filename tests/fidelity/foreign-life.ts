import { Agent, type Dispatcher } from "undici";
import { detectDrift } from "../../drift/scan/detect";
import { recordedObjects } from "../../drift/scan/recorded-object";
import { importDeployment } from "../../engine/state/checkpoint";
import { type Client, createClient } from "../../provider/api/client";
import { createCatalogue } from "../../provider/api/operations";
import { resolveSettings } from "../../provider/api/settings/config";
import { createPorts } from "../../provider/lifecycle/assemble";
import { allSpecs } from "../../provider/resources/index";
import { DeclaredResource } from "../lifecycle/contract/declaration";
import { type ContractHost, dynamicHost } from "../lifecycle/contract/hosts";
import { counting, keptJournal } from "../lifecycle/harness";
import { requestOf } from "../lifecycle/in-process";
import { virtualClock } from "../lifecycle/virtual-clock";
import type { Values } from "../values";
import type { Asked, Deviations, Sent } from "./deviation";
import { ForeignService } from "./foreign-service";
import { type LifeProgram, programs } from "./programs";

const origin = "https://service.test";

/** What became of a life. */
export interface LifeEnd {
  /** Where it ended: after all of it, or at a command. */
  at: "the end" | string;
  /** What people were told: the error, or what is wrong. */
  message?: string;
  /** Writes of the command that failed. */
  writes?: readonly string[];
  isWrong?: true;
}

class Wrong extends Error {}

/** Settings, and who serves the resource; default: dynamic resources. */
export interface LifeOptions {
  config?: Readonly<Record<string, string>> | undefined;
  host?: ContractHost;
  /** What the program sets besides. */
  inputs?: Values | undefined;
}

/** A service that deviates, and provider processes that work with it, on a clock that moves while all wait. */
class ForeignWorld {
  readonly clock = virtualClock();
  readonly service: ForeignService;
  private readonly journal = keptJournal();
  private readonly dispatcher: Dispatcher;

  constructor(
    deviations: Deviations,
    private readonly config: Readonly<Record<string, string>>,
    readonly host: ContractHost,
  ) {
    this.service = new ForeignService(deviations, () => new Date(this.clock.now()));
    this.dispatcher = new Agent().compose(answering(this.service), counting(this.clock));
  }

  process() {
    const client = this.client();
    const { settings } = client;
    const world = createPorts({ settings, client, specs: allSpecs, env: {}, time: this.clock, journal: this.journal });
    return { world };
  }

  client(): Client {
    const given: Record<string, string> = { accountId: "acme", apiKey: "acme-key", baseUrl: origin, ...this.config };
    const config = { get: (key: string) => given[key.replace("modelplatform:", "")] };
    const settings = resolveSettings({ config, env: {} });
    const catalogue = createCatalogue(allSpecs, { overrides: settings.operations });
    return createClient({ settings, catalogue, time: this.clock, env: {}, dispatcher: this.dispatcher });
  }

  close(): Promise<void> {
    return this.dispatcher.close();
  }
}

/** Requests reach the service without sockets. */
const answering =
  (service: ForeignService): Dispatcher.DispatcherComposeInterceptor =>
  () =>
  (options, handler) => {
    const controller = { aborted: false, reason: null, paused: false, abort() {}, pause() {}, resume() {} };
    const { method, path, query, body } = requestOf(options);
    const asked: Asked = { method, path, query: new URLSearchParams([...query]), body: (body ?? {}) as Values };
    void Promise.resolve().then(() => {
      handler.onRequestStart?.(controller, {});
      const { status, headers, bytes }: Sent = service.answerTo(asked);
      handler.onResponseStart?.(controller, status, headers, "");
      handler.onResponseData?.(controller, bytes);
      handler.onResponseEnd?.(controller, {});
    });
    return true;
  };

/** A whole life of one kind: five times the same program, a refresh, a scan, a change, and the end. */
export async function live(
  kind: keyof typeof programs,
  deviations: Deviations,
  { config = {}, host = dynamicHost, inputs = {} }: LifeOptions = {},
): Promise<LifeEnd> {
  const world = new ForeignWorld(deviations, config, host);
  const given: LifeProgram = programs[kind];
  const edited = given.edited && { ...given.edited, ...inputs };
  const program: LifeProgram = { ...given, inputs: { ...given.inputs, ...inputs }, ...(edited && { edited }) };
  const it = new DeclaredResource(world, kind, "it", config);
  let step = "the first up";
  const doing = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    step = name;
    world.service.writes.length = 0;
    return work();
  };
  try {
    await doing("the first up", () => it.up(program.inputs));
    const made = only(world, program);
    const unchanged = async (name: string, work: () => Promise<unknown>, expected: unknown): Promise<void> => {
      const result = await doing(name, work);
      if (result !== expected) throw new Wrong(`${name} of an unchanged program is \`${String(result)}\``);
      if (world.service.writes.length > 0) throw new Wrong(`${name} wrote: ${world.service.writes.join(", ")}`);
      if (only(world, program)["name"] !== made["name"]) throw new Wrong(`${name} has another object`);
    };
    for (const number of ["second", "third", "fourth", "fifth"])
      await unchanged(`the ${number} up`, () => it.up(program.inputs), "same");
    await unchanged("the refresh", () => it.refresh(), "there");
    await unchanged("the up after it", () => it.up(program.inputs), "same");
    await unchanged("the scan", () => scanned(world, it), "no drift");
    if (program.edited) {
      const edited = program.edited;
      const change = await doing("the change", () => it.up(edited));
      if (change !== "update") throw new Wrong(`the change is \`${change}\``);
      const after = only(world, program);
      if (!program.shows(after)) throw new Wrong(`the change is not live: ${JSON.stringify(after)}`);
      if (after["name"] !== made["name"]) throw new Wrong("the change has another object");
      await unchanged("the up after the change", () => it.up(edited), "same");
    }
    await doing("the destroy", () => it.destroy());
    const left = world.service.live(program.collection).filter((object) => !program.isNone?.(object));
    if (left.length > 0) throw new Wrong(`destroy has left ${JSON.stringify(left)}`);
    return { at: "the end" };
  } catch (error) {
    const { message } = error as Error;
    const writes = [...world.service.writes];
    return { at: step, message, writes, ...(error instanceof Wrong && { isWrong: true as const }) };
  } finally {
    await world.close();
  }
}

function only({ service }: ForeignWorld, { collection }: LifeProgram): Values {
  const objects = service.live(collection);
  if (objects.length !== 1) throw new Wrong(`there are ${objects.length} objects`);
  return objects[0]!;
}

/** What `drift` says of the state. */
async function scanned(world: ForeignWorld, { kind, state }: DeclaredResource): Promise<string> {
  const type = `${world.host === dynamicHost ? "pulumi-nodejs:dynamic/modelplatform" : "modelplatform:index"}:${kind}`;
  const { id, inputs, outputs } = state!;
  const resources = [{ urn: `urn:pulumi:dev::shop::${type}::it`, custom: true, type, id, inputs, outputs }];
  const manifest = { time: "2026-01-01T00:00:00Z", magic: "", version: "" };
  const stack = recordedObjects("shop/dev", importDeployment({ version: 3, deployment: { manifest, resources } }));
  const client = world.client();
  const { exitCode, findings } = await detectDrift({
    ...{ client, stacks: [stack], time: world.clock },
    tool: { name: "modelplatform", version: "1.2.3" },
  });
  await client.close();
  const reasons = findings.map(({ verdict, reason, changes }) =>
    [verdict, reason, ...changes.map(({ path }) => path)].join(" "),
  );
  if (exitCode === 3) throw new Error(reasons.join("; "));
  return exitCode === 0 ? "no drift" : `exit code ${exitCode}: ${reasons.join("; ")}`;
}
