import { metRows, played, refusingRows } from "./met-objects";

test.each(metRows)("%s id, %s, adopt %s, recover %s: %s", async (...row) => {
  expect(await played(row)).toBe(row[4]);
});

test.each(refusingRows)("%s id, %s, adopt %s, recover %s: %s, with each answer that helps", async (...row) => {
  expect(await played(row)).toBe(row[4]);
});
