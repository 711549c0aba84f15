import { metRows, played } from "./met-objects";

test.each(metRows)("%s id, %s, adopt %s, recover %s: %s", async (...row) => {
  expect(await played(row)).toBe(row[4]);
});
