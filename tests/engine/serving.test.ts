import { RequirePulumiVersionRequest } from "@pulumi/pulumi/proto/engine_pb";
import { engineService } from "../../engine/program/serving";
import { imitatedVersion } from "../../engine/state/imitated-version";

/** What the engine answers a program that requires a version of the Pulumi CLI: nothing, or an error. */
function answerTo(range: string): Promise<string | undefined> {
  const { implementation } = engineService(() => {});
  const { requirePulumiVersion } = implementation as unknown as {
    requirePulumiVersion(call: object, callback: (error: { details?: string } | null) => void): void;
  };
  const request = new RequirePulumiVersionRequest().setPulumiVersionRange(range);
  return new Promise((resolve) => requirePulumiVersion({ request }, (error) => resolve(error?.details)));
}

describe("A program that requires a version of the Pulumi CLI", () => {
  test("goes on where the range includes the imitated one", async () => {
    expect(await answerTo(`>=3.1.0 <=${imitatedVersion}`)).toBeUndefined();
  });

  test.each([
    ["<3.1.0", "leaves out"],
    ["^3.0.0", "is not a range"],
  ])("fails where the range is %s", async (range, message) => {
    expect(await answerTo(range)).toContain(`The program requires the Pulumi CLI \`${range}\`, which ${message}`);
  });
});
