import { memoizeByKey } from "../../provider/core/values/once";

test("a value is made once for each thing", () => {
  const asked: object[] = [];
  const numbered = memoizeByKey((thing: object) => asked.push(thing));
  const [a, b] = [{}, {}];
  expect([numbered(a), numbered(b), numbered(a), numbered(b)]).toEqual([1, 2, 1, 2]);
  expect(asked).toEqual([a, b]);
});

test("a value that is undefined is made once as well", () => {
  let times = 0;
  const nothing = memoizeByKey((_: object): undefined => void times++);
  const thing = {};
  nothing(thing);
  nothing(thing);
  expect(times).toBe(1);
});
