import * as pulumi from "@pulumi/pulumi";
import { User } from "../../provider/index";
import { warn } from "../../provider/pulumi/warnings";
import { runAsProgram } from "./support/program";

test("a program's warning does nothing at a terminal, whatever it says", () => {
  const said = jest.spyOn(pulumi.log, "warn").mockResolvedValue(undefined);
  warn("a\u001b]0;owned\u0007b\n::error::c");
  expect(said.mock.calls).toEqual([["a\\u001b]0;owned\\u0007b\n: :error::c"]]);
  said.mockRestore();
});

test("a program warns once of settings of its stack that nothing reads", async () => {
  const said = jest.spyOn(pulumi.log, "warn").mockResolvedValue(undefined);
  await runAsProgram({ config: { accountId: "acme", requestPerSecond: "5" } });
  for (const name of ["ada", "grace"]) new User(name, { email: `${name}@example.com` });
  expect(said.mock.calls).toEqual([
    [
      "`modelplatform:requestPerSecond` is not a setting of pulumi-modelplatform and does nothing; did you mean `modelplatform:requestsPerSecond`?",
    ],
  ]);
});
