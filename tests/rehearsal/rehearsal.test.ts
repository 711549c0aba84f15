import { rehearse } from "../../tools/rehearsal/rehearsal";

let errors: jest.SpyInstance;
beforeEach(() => void (errors = jest.spyOn(console, "error").mockImplementation(() => {})));
afterEach(() => errors.mockRestore());

test.each([[["nuget"]], [["npm", "pypi"]], [[""]]])(
  "a part %j that cannot be rehearsed is a usage error",
  async (parts) => {
    expect(await rehearse(parts)).toBe(2);
    expect(errors).toHaveBeenCalledWith(`\`--rehearse\` takes \`npm\` or nothing, and not \`${parts.join(" ")}\``);
  },
);

describe("a temporary folder that cannot be made", () => {
  const { TMPDIR } = process.env;
  beforeEach(() => void (process.env["TMPDIR"] = "/dev/null"));
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = TMPDIR;
  });

  test("ends the rehearsal with the step and how to go on", async () => {
    expect(await rehearse(["npm"])).toBe(1);
    expect(errors).toHaveBeenCalledWith(
      expect.stringMatching(/^The rehearsal stopped while making a temporary folder: /),
    );
    expect(errors).toHaveBeenCalledWith(expect.stringContaining("`npm run release -- --rehearse npm` again"));
  });
});
