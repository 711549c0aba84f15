import { inspect } from "node:util";
import type * as pulumi from "@pulumi/pulumi";
import * as rpc from "@pulumi/pulumi/runtime/rpc";
import { keepsPromises } from "./promise-stacks";

type Output = pulumi.Output<unknown>;

/** Settles an output: its value, whether that is known and secret, what it depends on, or an error. */
type Settle = (...answer: unknown[]) => void;

/** Gives a resource an output for each property. The SDK's types leave it out. */
type Transfer = (resource: object, label: string, properties: object, ...rest: unknown[]) => Record<string, Settle>;

const sdk = rpc as unknown as { transferProperties: Transfer };
const transfer = sdk.transferProperties;

const deferring = new WeakSet<object>();

/**
 * Puts off the outputs of a resource until a program looks at one, before the SDK makes them. It holds twenty promises
 * for each, and few are looked at (docs/decisions/119-outputs-on-demand.md).
 */
export function deferOutputs(resource: object): void {
  if (!keepsPromises()) deferring.add(resource);
}

sdk.transferProperties = (resource, label, properties, ...rest) => {
  if (!deferring.has(resource)) return transfer(resource, label, properties, ...rest);
  const names = Object.keys(properties).filter((name) => name !== "id" && name !== "urn");
  return Object.fromEntries(names.map((name) => [name, deferOutput(resource as Record<string, Output>, label, name)]));
};

/** Gives a resource an output that the SDK makes once it is looked at, maybe after the engine has answered. */
function deferOutput(resource: Record<string, Output>, label: string, name: string): Settle {
  let answer: unknown[] | undefined;
  let settle: Settle | undefined;
  resource[name] = outputOnDemand(() => {
    const present = resource[name]!;
    // The SDK refuses to make what is there.
    delete resource[name];
    settle = transfer(resource, label, { [name]: undefined })[name]!;
    const made = resource[name]!;
    resource[name] = present;
    if (answer) settle(...answer);
    return made;
  });
  return (...given) => {
    answer = given;
    settle?.(...given);
  };
}

/** An output that is made when somebody first looks at it. To ask whether it is one does not count. */
export const outputOnDemand = (make: () => Output): Output =>
  new Proxy(new OnDemand(make), forwarding) as unknown as Output;

class OnDemand {
  private made: Output | undefined;

  constructor(private readonly make: () => Output) {}

  get output(): Output {
    this.made ??= this.make();
    return this.made;
  }

  /** Node.js looks past proxies when it prints. */
  [inspect.custom](): Output {
    return this.output;
  }
}

const traps = Object.getOwnPropertyNames(Reflect) as (keyof typeof Reflect)[];

const forwarding: ProxyHandler<OnDemand> = {
  ...Object.fromEntries(
    traps.map((trap) => [
      trap,
      ({ output }: OnDemand, ...rest: unknown[]) => (Reflect[trap] as (...all: unknown[]) => unknown)(output, ...rest),
    ]),
  ),
  get: (deferred, name) => name === "__pulumiOutput" || Reflect.get(deferred.output, name),
};
