import { rehearse } from "../../tools/rehearsal/rehearsal";

let errors: jest.SpyInstance;
beforeEach(() => void (errors = jest.spyOn(console, "error").mockImplementation(() => {})));
afterEach(() => errors.mockRestore());

test.each([[["nuget"]], [["npm", "pypi"]], [[""]]])(
  "a part %j that cannot be rehearsed is a usage error",
  async (parts) => {
    expect(await rehearse(parts)).toBe(64);
    expect(errors).toHaveBeenCalledWith(`\`--rehearse\` takes \`npm\` or nothing, and not \`${parts.join(" ")}\``);
  },
);

test("a temporary folder that cannot be made ends it with the step and the way on", async () => {
  expect(await rehearse(["npm"], "/dev/null")).toBe(1);
  expect(errors).toHaveBeenCalledWith(
    expect.stringMatching(/^The rehearsal stopped while making a temporary folder: ENOTDIR/),
  );
  expect(errors).toHaveBeenCalledWith(expect.stringContaining("`npm run release -- --rehearse npm` again"));
});
