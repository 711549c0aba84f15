import { InitFailedError, type ResourceLifecycle } from "../../provider/lifecycle/types";
import { createInterruption } from "../../provider/pulumi/interruption";
import type { LifecycleHost } from "../../provider/pulumi/operations";
import { createService } from "../../provider/pulumi/service";
import { declared, secret, unknown } from "./support/declared";

const news = declared("Secret", "s3", { keyName: "S3_KEY", value: "canary" });

interface World {
  service: ReturnType<typeof createService>;
  reported: string[];
  opened: (string | undefined)[];
  interrupt(): void;
}

/** The service over a life cycle that does what the test says. */
function world(
  lifecycle: Partial<ResourceLifecycle>,
  { debug = false, open }: { debug?: boolean; open?: () => Promise<LifecycleHost> } = {},
): World {
  const reported: string[] = [];
  const opened: (string | undefined)[] = [];
  const interruption = createInterruption({ exit: () => undefined, sleep: async () => undefined });
  const report = (text: string) => void reported.push(text);
  const service = createService({
    open: async ({ config }) => {
      opened.push(config?.get("modelplatform:accountId"));
      if (open) return open();
      return {
        lifecycleOf: () => lifecycle as ResourceLifecycle,
        redact: (text) => text.replaceAll("canary", "[redacted]"),
      };
    },
    reporterFor: () => ({ status: report, info: report, warn: report, during: (work) => work() }),
    interruption,
    debug,
  });
  return { service, reported, opened, interrupt: () => interruption.interrupt(0) };
}

const failureOf = (work: Promise<unknown>): Promise<Error & Record<string, unknown>> =>
  work.then(
    () => Promise.reject(new Error("expected a failure")),
    (error: Error & Record<string, unknown>) => error,
  );

test("values come in plain, without Pulumi's own, and go out with secrets marked", async () => {
  let given: unknown;
  const { service } = world({
    create: async (_call, inputs) => {
      given = inputs;
      return {
        id: "accounts/acme/secrets/s3-key",
        outputs: {
          name: "accounts/acme/secrets/s3-key",
          value: "canary",
          digests: { value: "d" },
          absent: undefined,
          at: new Date(0) as unknown as string,
        },
      };
    },
  });
  const { id, outs } = await service.create({ ...news, value: secret("canary") });
  const { __provider, ...rest } = news;
  expect(given).toEqual(rest);
  expect(id).toBe("accounts/acme/secrets/s3-key");
  expect(outs).toStrictEqual({
    name: id,
    value: secret("canary"),
    digests: secret({ value: "d" }),
    at: "1970-01-01T00:00:00.000Z",
    __modelplatform: news["__modelplatform"],
    __provider,
  });
});

test("a secret that is not known yet stays a plain unknown", async () => {
  const { service } = world({ check: async (_call, _olds, inputs) => ({ inputs, failures: [], warnings: [] }) });
  expect((await service.check({}, { ...news, value: unknown })).inputs).toMatchObject({ value: unknown });
});

test("settings are read once, at the first operation, as configure gave them", async () => {
  const { service, opened } = world({
    diff: async () => ({ changes: false, replaces: [], deleteBeforeReplace: false, found: [] }),
  });
  const configured = service.configure({ config: { get: () => "acme" } });
  await Promise.all([service.diff("id", news, news), service.diff("id", news, news), configured]);
  expect(opened).toEqual(["acme"]);
});

test("what is thrown after the object was made carries what the engine has to record", async () => {
  const cause = new InitFailedError("accounts/acme/secrets/s3-key", { name: "n", value: "canary" }, [
    "still CREATING, canary",
    "no answer",
  ]);
  const { service } = world({ update: () => Promise.reject(cause) });
  const error = await failureOf(service.update("id", news, news));
  expect(error).toMatchObject({
    id: "accounts/acme/secrets/s3-key",
    message: "still CREATING, [redacted]\nno answer",
    reasons: ["still CREATING, [redacted]", "no answer"],
    properties: {
      name: "n",
      value: secret("canary"),
      __modelplatform: news["__modelplatform"],
      __provider: news["__provider"],
    },
    stack: "",
  });
});

test.each([
  [false, /^$/],
  [true, /^TypeError: no \[redacted\]\n\s+at /],
])("an unexpected error is called a fault; with debugging %s its stack fits %s", async (debug, stack) => {
  const { service } = world({ delete: () => Promise.reject(new TypeError("no canary")) }, { debug });
  const error = await failureOf(service.delete("id", news));
  expect(error.message).toBe(
    "TypeError: no [redacted]. This is a bug in pulumi-modelplatform; set MODELPLATFORM_DEBUG=1 to see where it happens, and report it",
  );
  expect(error.stack).toMatch(stack);
});

test("what is reported shows no secret", async () => {
  const { service, reported } = world({
    read: async ({ reporter }) => {
      reporter.status("canary 1");
      reporter.warn("canary 2");
      return undefined;
    },
  });
  expect(await service.read("id", news)).toEqual({ id: "", props: {} });
  expect(reported).toEqual(["[redacted] 1", "[redacted] 2"]);
});

test("a failed request of a check fails its resource, with one error", async () => {
  const { service } = world({}, { open: () => Promise.reject(new Error("no settings")) });
  const { failures } = await service.check({}, news);
  expect(failures).toEqual([{ property: "", reason: expect.stringContaining("no settings") }]);
});

test.each([
  ["the plugin", {}, undefined],
  ["a dynamic provider", { __provider: "text" }, false],
])("an unchanged object that %s has recorded is answered %#", async (_, recorded, changes) => {
  const { service } = world({
    diff: async () => ({ changes: false, replaces: [], deleteBeforeReplace: false, found: [] }),
  });
  expect(await service.diff("id", recorded, news)).toMatchObject({ changes });
});

test("after an interruption nothing new begins", async () => {
  let begun = false;
  const { service, interrupt } = world({
    create: async () => {
      begun = true;
      return { id: "", outputs: {} };
    },
  });
  interrupt();
  expect((await failureOf(service.create(news))).message).toContain("interrupted before it began");
  expect(begun).toBe(false);
});

test.each([
  [{ keyName: "S3_KEY" }, /no `__modelplatform`.*class of `pulumi-modelplatform`/],
  [declared("Cluster", "a", {}), /`Cluster` is not a kind .* Update the package/],
])("a resource that this release did not declare is refused in words", async (props, message) => {
  const { service } = world({});
  expect((await failureOf(service.delete("id", props))).message).toMatch(message);
});
