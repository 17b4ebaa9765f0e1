import { expect, test } from "vitest";
import { listed, runIdsOf } from "./runIds";

test.each([
  ["3,5,9", { kind: "runs", ids: [3, 5, 9] }],
  [" 9, 3 ,9", { kind: "runs", ids: [9, 3] }],
  ["", { kind: "too few", ids: [] }],
  ["7,7", { kind: "too few", ids: [7] }],
  ["1,2,3,4,5,6,7", { kind: "too many", ids: [1, 2, 3, 4, 5, 6, 7] }],
  ["3,last", { kind: "no number", word: "last" }],
  ["3,0", { kind: "no number", word: "0" }],
  ["3,-5", { kind: "no number", word: "-5" }],
  ["99999999999999999999,1", { kind: "no number", word: "99999999999999999999" }],
])("the address %j", (text, expected) => {
  expect(runIdsOf(text)).toEqual(expected);
});

test("names are listed as a sentence does", () => {
  expect([listed([]), listed([3]), listed([3, 5]), listed([3, 5, 9])]).toEqual([
    "",
    "3",
    "3 and 5",
    "3, 5 and 9",
  ]);
});
