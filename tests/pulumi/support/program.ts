import * as pulumi from "@pulumi/pulumi";

/** What a program registered. */
export interface Registered {
  type: string;
  name: string;
  id: string | undefined;
  inputs: Record<string, unknown>;
  provider: string | undefined;
}

/** Runs what follows as a program of project `demo`, stack `dev`, against Pulumi's own mocks. */
export async function runAsProgram({
  isPreview = false,
  config = {},
}: {
  isPreview?: boolean;
  config?: Record<string, string>;
} = {}): Promise<Registered[]> {
  const registered: Registered[] = [];
  pulumi.runtime.setAllConfig(
    Object.fromEntries(Object.entries(config).map(([name, value]) => [`modelplatform:${name}`, value])),
  );
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, id, inputs, provider }) => {
        registered.push({
          type,
          name,
          id: id === "" ? undefined : id,
          inputs: inputs as Record<string, unknown>,
          provider,
        });
        return { id: id ?? `${name}-id`, state: inputs as Record<string, unknown> };
      },
      call: () => ({}),
    },
    "demo",
    "dev",
    isPreview,
  );
  return registered;
}

/**
 * Has the mocks pass for an engine: what a program does against an engine alone, it does from here on. To be called
 * once they are set.
 */
export function presentAsEngine(isPreview = false): void {
  const mocked = pulumi.runtime.getMonitor() as object;
  const monitor = new Proxy(mocked, {
    has: (target, name) => name !== "mocks" && name in target,
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  pulumi.runtime.setMockOptions(monitor, pulumi.getProject(), pulumi.getStack(), isPreview);
}

/** The value of an output, once it is there. */
export const valueOf = <T>(output: pulumi.Output<T>): Promise<T> => new Promise((resolve) => output.apply(resolve));
