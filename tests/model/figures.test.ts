import { page, readFigures, readPage } from "./figures";

test("the page of random programs tells what was recorded", () => {
  expect(readPage()).toBe(page(readFigures()));
});
