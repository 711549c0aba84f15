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

function deferOutput(resource: Record<string, Output>, label: string, name: string): Settle {
  const property = new Property(resource, label, name);
  resource[name] = asOutput(property);
  return (...answer) => property.settle(answer);
}

/** An output that is made when somebody first looks at it. To ask whether it is one does not count. */
export const outputOnDemand = (make: () => Output): Output => asOutput(new Derived(make));

/** What an output resolves to; one that is put off is not made for it, unless it fails. */
export function valueOf(output: Output): Promise<unknown> {
  const { [behind]: deferred } = output as unknown as { [behind]?: OnDemand };
  return deferred instanceof Property ? deferred.value() : promiseOf(output);
}

const promiseOf = (output: Output): Promise<unknown> =>
  (output as unknown as { promise(): Promise<unknown> }).promise();

/** The property by which an output on demand has what is behind it. */
const behind = Symbol("behind");

const asOutput = (deferred: OnDemand): Output => new Proxy(deferred, forwarding) as unknown as Output;

abstract class OnDemand {
  private made: Output | undefined;

  protected abstract make(): Output;

  get output(): Output {
    this.made ??= this.make();
    return this.made;
  }

  /** Node.js looks past proxies when it prints. */
  [inspect.custom](): Output {
    return this.output;
  }
}

class Derived extends OnDemand {
  constructor(private readonly derive: () => Output) {
    super();
  }

  protected make(): Output {
    return this.derive();
  }
}

/** An output that the SDK makes once it is looked at, maybe after the engine has answered. */
class Property extends OnDemand {
  private answer: unknown[] | undefined;
  private readonly settled: ((answer: unknown[]) => void)[] = [];

  constructor(
    private readonly resource: Record<string, Output>,
    private readonly label: string,
    private readonly name: string,
  ) {
    super();
  }

  settle(answer: unknown[]): void {
    this.answer = answer;
    for (const tell of this.settled.splice(0)) tell(answer);
  }

  onceSettled(tell: (answer: unknown[]) => void): void {
    if (this.answer) tell(this.answer);
    else this.settled.push(tell);
  }

  value(): Promise<unknown> {
    return new Promise((resolve) => {
      this.onceSettled(([value, , , , error]) => resolve(error === undefined ? value : promiseOf(this.output)));
    });
  }

  /** Has the SDK make it, which refuses to make what is there. */
  protected make(): Output {
    const { resource, label, name } = this;
    const present = resource[name]!;
    delete resource[name];
    const settle = transfer(resource, label, { [name]: undefined })[name]!;
    const made = resource[name]!;
    resource[name] = present;
    this.onceSettled((answer) => settle(...answer));
    return made;
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
  get: (deferred, name) =>
    name === "__pulumiOutput" || (name === behind ? deferred : Reflect.get(deferred.output, name)),
};
