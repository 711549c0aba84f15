import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Workshop } from "../engine/workshop";

const main = join(__dirname, "..", "..", "dist", "cli", "main.js");

/** The command line on a program of its own, in processes of their own. */
function shop() {
  const workshop = new Workshop();
  const env = {
    PATH: process.env["PATH"],
    PULUMI_BACKEND_URL: `file://${workshop.backend}`,
    PULUMI_CONFIG_PASSPHRASE: "open sesame",
    PULUMI_HOME: join(workshop.folder, "home"),
  };
  const run = (line: string) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...line.split(" ")], {
      cwd: workshop.program,
      env,
      encoding: "utf8",
    });
    return { status, stdout, stderr, result: status === 64 ? undefined : lastLine(stdout) };
  };
  return { workshop, run };
}

function lastLine(stdout: string): unknown {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  return line.startsWith("{") ? JSON.parse(line) : line;
}

const counts = (changes: object) => ({ create: 0, update: 0, replace: 0, delete: 0, same: 0, ...changes });

test("a program goes up, drifts, is healed and destroyed, and the exit codes tell", () => {
  const { workshop, run } = shop();
  try {
    workshop.declare({
      resources: [{ name: "one", props: { label: "one", size: 3, password: { secret: "hunter2" } } }],
      outputs: {
        serial: "@one.serial",
        password: "@one.password",
        both: { label: "@one.label", key: "@one.password" },
      },
    });
    expect(run("stack init dev")).toMatchObject({ status: 0, stderr: "" });
    expect(run("up")).toMatchObject({ status: 64, stdout: "" });
    const up = run("up --yes --json");
    expect(up).toMatchObject({
      status: 0,
      stderr: "",
      result: {
        result: "succeeded",
        changes: counts({ create: 2 }),
        outputs: { serial: 1, password: "[secret]", both: { label: "one", key: "[secret]" } },
      },
    });
    expect(up.stdout).not.toContain("hunter2");
    expect(run("preview --expect-no-changes")).toMatchObject({
      status: 0,
      stderr: "",
      result: expect.stringMatching(/^Preview done in .*: nothing to do, 1 unchanged\.$/),
    });
    const cloud = JSON.parse(readFileSync(join(workshop.program, "cloud.json"), "utf8")) as {
      boxes: { [id: string]: { size: number } };
    };
    for (const box of Object.values(cloud.boxes)) box.size = 7;
    writeFileSync(join(workshop.program, "cloud.json"), JSON.stringify(cloud));
    const drift = run("refresh --preview-only --diff --expect-no-changes");
    expect(drift).toMatchObject({ status: 7, stderr: "error: expected no changes, but there are 1.\n" });
    expect(drift.stdout).toContain(
      "Changed outside (recorded => live)\n\n~ test:Box one: changed outside\n  ~ size  3 => 7\n",
    );
    expect(run("up --yes --refresh --skip-preview --json")).toMatchObject({
      status: 0,
      result: { changes: counts({ update: 1, same: 1 }) },
    });
    expect(run("destroy --yes --skip-preview")).toMatchObject({
      status: 0,
      result: expect.stringMatching(/: 1 deleted\.$/),
    });
    expect(run("stack rm dev --yes")).toMatchObject({ status: 0 });
  } finally {
    workshop.remove();
  }
}, 300_000);
