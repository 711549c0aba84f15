import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { EngineEvent } from "../../engine/events";
import { type BoxProgram, type DeclaredBox, passphrase, Workshop } from "./workshop";

jest.setTimeout(120_000);

const box = (name: string, props: object = {}, opts: object = {}): DeclaredBox => ({
  name,
  props: { label: name, ...props },
  opts: { ...opts },
});

/** Processes that this one has started and that still run. */
function children(): string[] {
  const processes = execFileSync("ps", ["-o", "stat=,args=", "--ppid", String(process.pid)], { encoding: "utf8" });
  return processes.split("\n").filter((line) => /cmd\/(run|dynamic-provider)/.test(line) && !line.startsWith("Z"));
}

const workshop = new Workshop();
afterAll(() => workshop.remove());

/** Does something when the user is told `message`. */
const at = (message: string, act: () => void) => (event: EngineEvent) => {
  if (event.kind === "diagnostic" && event.message === message) act();
};

const locks = () =>
  readdirSync(join(workshop.backend, ".pulumi/locks"), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );

describe("an operation that goes wrong", () => {
  test("tells what a provider says, records what was done and leaves nothing behind", async () => {
    const report = await workshop.up({
      resources: [box("a"), box("b", { fail: "create" }, { dependsOn: ["@a"] }), box("c", { ref: "@b.serial" })],
    });
    expect(report).toMatchObject({ result: "failed", changes: { create: 2 } });
    expect(workshop.errors()).toEqual(["the cloud refuses to create b"]);
    expect(workshop.deeds()).toEqual(["create a", "create b"]);
    expect(workshop.resource("a").id).toBe("a-1");
    expect(workshop.state().pending).toEqual([]);
    expect(children()).toEqual([]);
    expect(locks()).toEqual([]);
  });

  test("deletes nothing when the program throws, and reports the error once", async () => {
    const report = await workshop.up({ resources: [], throw: "no such luck" });
    expect(report.result).toBe("failed");
    expect(workshop.errors()).toEqual(["no such luck"]);
    expect(Object.keys(workshop.cloud().boxes)).toEqual(["a-1"]);
  });

  test("keeps an operation pending when the provider vanishes, until the next create", async () => {
    const report = await workshop.up({ resources: [box("a"), box("d", { fail: "exit" }, { dependsOn: ["@a"] })] });
    expect(report.result).toBe("failed");
    expect(workshop.errors()).toEqual([expect.stringContaining("the state of the object is unknown")]);
    expect(workshop.state().pending).toEqual([
      expect.objectContaining({
        type: "creating",
        resource: expect.objectContaining({ urn: expect.stringMatching(/::d$/) }),
      }),
    ]);
    await workshop.run("preview");
    expect(workshop.messages()).toEqual([expect.stringContaining("interrupted while creating")]);
    await workshop.up({ resources: [box("a")] });
    expect(workshop.messages()).toEqual([expect.stringContaining("interrupted while creating")]);
    // What has been created by now has no unknown outcome.
    await workshop.up({ resources: [box("a"), box("d")] });
    expect(workshop.messages()).toEqual([]);
    expect(workshop.state().pending).toEqual([]);
  });
});

describe("an interrupt", () => {
  const holding: BoxProgram = {
    resources: [box("a"), box("d"), box("h", { fail: "hold" }, { dependsOn: ["@a"] }), box("i", { ref: "@h.serial" })],
  };

  test("lets the provider end what runs, records it and begins nothing new", async () => {
    const interrupts = new AbortController();
    const report = await workshop.up(holding, {
      signal: interrupts.signal,
      onEvent: at("holding h", () => interrupts.abort()),
    });
    expect(report.result).toBe("interrupted");
    expect(workshop.errors()).toEqual(["h never became ready"]);
    expect(workshop.resource("h")).toMatchObject({ id: "h-1", initErrors: ["h never became ready"] });
    expect(workshop.deeds()).toEqual(["create h"]);
    expect(workshop.state().pending).toEqual([]);
    expect(children()).toEqual([]);
    expect(locks()).toEqual([]);
  });

  test("that comes twice ends everything at once, and the state says what was under way", async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const operation = workshop.up(
      { resources: [box("a"), box("d"), box("k", { fail: "deaf" })] },
      {
        signal: first.signal,
        killSignal: second.signal,
        onEvent: at("holding k", () => {
          first.abort();
          second.abort();
        }),
      },
    );
    await expect(operation).rejects.toThrow("stopped");
    expect(workshop.state().pending).toEqual([expect.objectContaining({ type: "creating" })]);
    expect(children()).toEqual([]);
    expect(locks()).toEqual([]);
  });
});

test("an operation whose lock is gone stops and does not write the state", async () => {
  const theirs = workshop.stateFile();
  const operation = workshop.up(
    { resources: [box("p"), box("q", {}, { dependsOn: ["@p"] })] },
    {
      onEvent: (event) => {
        if (event.kind !== "stepStarted" || event.step.name !== "p") return;
        for (const { parentPath, name } of locks()) rmSync(join(parentPath, name));
        writeFileSync(join(workshop.backend, ".pulumi/stacks/boxes/dev.json"), theirs);
      },
    },
  );
  await expect(operation).rejects.toThrow(/no longer locked by this operation/);
  expect(workshop.stateFile()).toBe(theirs);
  expect(workshop.deeds()).not.toContain("create q");
  expect(children()).toEqual([]);
});

const built = existsSync(join(__dirname, "../../dist/engine/stack.js"));
const afterBuild = built ? describe : describe.skip;

afterBuild(`^C at a terminal${built ? "" : " (skipped: dist is not built)"}`, () => {
  test("reaches the engine alone, which ends the rest in order", async () => {
    workshop.declare({ resources: [box("a"), box("d"), box("m", { fail: "hold" })] });
    const engine = spawn(
      process.execPath,
      [join(__dirname, "fixtures/operate.js"), workshop.program, workshop.backend, passphrase],
      { detached: true, stdio: ["ignore", "pipe", "inherit"] },
    );
    const lines: string[] = [];
    for await (const line of createInterface({ input: engine.stdout })) {
      lines.push(line);
      // A terminal signals every process of its foreground group.
      if (line === "holding m" && engine.pid !== undefined) process.kill(-engine.pid, "SIGINT");
    }
    expect(lines).toContain("result: interrupted");
    expect(workshop.resource("m")).toMatchObject({ id: "m-1", initErrors: ["m never became ready"] });
    expect(locks()).toEqual([]);
  });
});
