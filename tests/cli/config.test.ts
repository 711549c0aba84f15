// First, so that keys cost nothing.
import "../state/quick-keys";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelplatform, project } from "./terminal";

test("a value is set, listed, printed and removed", async () => {
  const place = await project("dev");
  expect(await modelplatform("config set modelplatform:accountId acme", place)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "",
  });
  await modelplatform("config set color red", place);
  expect((await modelplatform("config ls", place)).stdout).toBe(
    "KEY                      VALUE\nmodelplatform:accountId  acme\nshop:color               red\n",
  );
  expect((await modelplatform("config get color", place)).stdout).toBe("red\n");
  await modelplatform("config rm color", place);
  expect(await modelplatform("config get color", place)).toMatchObject({
    code: 1,
    stderr: "error: The stack dev does not set `color`.\n",
  });
});

test("an unknown key is named with its likeness", async () => {
  const place = await project("dev");
  await modelplatform("config set color red", place);
  expect((await modelplatform("config get colour", place)).stderr).toBe(
    "error: The stack dev does not set `colour`. Did you mean color?\n",
  );
});

test("a setting that nothing reads is set, with a word about what it may have meant", async () => {
  const place = await project("dev");
  expect(await modelplatform("config set modelplatform:requestPerSecond 5", place)).toMatchObject({
    code: 0,
    stderr:
      "warning: `modelplatform:requestPerSecond` is not a setting of pulumi-modelplatform and does nothing; did you mean `modelplatform:requestsPerSecond`?\n",
  });
  expect(await modelplatform("config set --path modelplatform:operations.deleteUser off", place)).toMatchObject({
    code: 0,
    stderr: "",
  });
});

test("a secret is encrypted in the file, masked in the list and printed when asked for", async () => {
  const place = await project("dev");
  expect(
    await modelplatform("config set --secret modelplatform:apiKey", { ...place, stdin: "hunter2\n" }),
  ).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(readFileSync(join(place.cwd, "Pulumi.dev.yaml"), "utf8")).toMatch(/secure: v1:/);
  expect((await modelplatform("config ls", place)).stdout).toContain("modelplatform:apiKey  [secret]");
  expect(JSON.parse((await modelplatform("config ls --json", place)).stdout)).toEqual({
    "modelplatform:apiKey": { secret: true },
  });
  expect((await modelplatform("config ls --show-secrets", place)).stdout).toContain("hunter2");
  expect((await modelplatform("config get modelplatform:apiKey", place)).stdout).toBe("hunter2\n");
  expect(JSON.parse((await modelplatform("config get modelplatform:apiKey --json", place)).stdout)).toEqual({
    value: "hunter2",
    secret: true,
  });
});

test("a wrong passphrase is one line", async () => {
  const place = await project("dev");
  await modelplatform("config set --secret key x", place);
  const { code, stderr } = await modelplatform("config get key", {
    ...place,
    env: { ...place.env, PULUMI_CONFIG_PASSPHRASE: "wrong" },
  });
  expect({ code, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 1, lines: 1 });
  expect(stderr).toMatch(/^error: The passphrase does not fit this stack\. Set PULUMI_CONFIG_PASSPHRASE/);
});

test("at a terminal the value is asked for", async () => {
  const place = await project("dev");
  expect((await modelplatform("config set color", { ...place, isTTY: true, answers: ["red"] })).questions).toEqual([
    "Value of color: ",
  ]);
  expect((await modelplatform("config get color", place)).stdout).toBe("red\n");
  expect(await modelplatform("config set color", { ...place, isTTY: true, answers: [undefined] })).toMatchObject({
    code: 1,
    stderr: "error: No value was given: nothing was set.\n",
  });
});

test.each(["modelplatform:apiKey", "modelplatform:accounts", "db-password", "authToken", "client_secret"])(
  "%s is not stored readable by accident",
  async (key) => {
    const place = await project("dev");
    const { code, stderr } = await modelplatform(["config", "set", key, "x"], place);
    expect({ code, stderr }).toEqual({
      code: 64,
      stderr: `error: \`${key}\` sounds like a secret. Add --secret to encrypt it, or --plaintext if everyone may read it.\n`,
    });
    expect((await modelplatform(["config", "set", "--plaintext", key, "x"], place)).code).toBe(0);
  },
);

test("--secret and --plaintext cannot be combined", async () => {
  expect(await modelplatform("config set --secret --plaintext a b", await project("dev"))).toMatchObject({
    code: 64,
    stderr: "error: --secret and --plaintext cannot be combined.\n",
  });
});

test("--path goes into a value", async () => {
  const place = await project("dev");
  await modelplatform("config set --path servers[0].port 80", place);
  expect((await modelplatform("config get servers", place)).stdout).toBe('[{"port":80}]\n');
  expect((await modelplatform("config get --path servers[0].port", place)).stdout).toBe("80\n");
  await modelplatform("config rm --path servers[0]", place);
  expect((await modelplatform("config get servers", place)).stdout).toBe("[]\n");
});

test("the project's defaults are listed too", async () => {
  const place = await project("dev");
  writeFileSync(join(place.cwd, "Pulumi.yaml"), "name: shop\nruntime: nodejs\nconfig:\n  region: eu\n");
  expect((await modelplatform("config ls", place)).stdout).toBe("KEY          VALUE\nshop:region  eu\n");
});

test("a config without settings is reported as empty", async () => {
  expect((await modelplatform("config ls", await project("dev"))).stdout).toBe("Nothing is set.\n");
});
