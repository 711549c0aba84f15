import { playLifeCycle } from "../../tools/rehearsal/programs";

const [ada, model] = ["accounts/demo/users/ada", "accounts/demo/models/tuned"];

/** An engine and a service: what is live after each command. */
function world(live: Readonly<Record<string, readonly string[]>>, ids: readonly string[] = [ada]) {
  const commands: string[] = [];
  let objects: readonly string[] = [];
  return {
    commands,
    engine: async (...args: string[]) => {
      commands.push(args.join(" "));
      objects = live[args[0]!] ?? objects;
      const resources = [{ urn: "urn:stack" }, ...ids.map((id) => ({ id })), { id: "a-provider" }];
      return args[1] === "export" ? JSON.stringify({ deployment: { resources } }) : "";
    },
    service: { env: {}, objects: async () => [...objects] },
  };
}

const play = ({ engine, service }: ReturnType<typeof world>) => playLifeCycle(engine, service, ["drift"]);

test("a program goes from its first preview to its end", async () => {
  // The service made a model of its own, which no state has.
  const whole = world({ up: [ada, model], destroy: [model] });
  await play(whole);
  expect(whole.commands).toEqual([
    "stack init dev",
    "preview",
    "up --yes",
    "stack export",
    "drift",
    "preview --refresh --expect-no-changes",
    "destroy --yes",
  ]);
});

test("an `up` without a live object has failed, whatever it ended with", async () => {
  await expect(play(world({ up: [model] }))).rejects.toThrow(`the service does not have ${ada}`);
  await expect(play(world({ up: [] }, []))).rejects.toThrow("the service does not have anything of it");
});

test("a `destroy` that leaves an object has failed, whatever it ended with", async () => {
  await expect(play(world({ up: [ada] }))).rejects.toThrow(`the service still has ${ada}`);
});
