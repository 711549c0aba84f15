import type { Values } from "../../values";
import type { Deviations } from "../deviation";
import { listedKinds, type Row, right } from "./row";

const members = (list: Values, collection: string): Values[] => list[collection] as Values[];

const kept = (change: (objects: Values[]) => Values[]): Deviations => ({
  lists: (list, collection) => ({ ...list, [collection]: change(members(list, collection)) }),
});

const refusing = (lists: (list: Values, collection: string) => unknown, message = /list/): Omit<Row, "name"> => ({
  kinds: listedKinds,
  deviation: { lists },
  outcome: "refused",
  message,
});

/** Lists in other forms. What is not this API's list is never an empty one. */
export const listRows: readonly Row[] = [
  ...right(listedKinds, {
    "lists come one by one, without a total": { smallPages: true },
    "lists have no total": { lists: ({ totalSize: _, ...list }) => list },
    "a list's total is text": { lists: (list) => ({ ...list, totalSize: String(list["totalSize"]) }) },
    "a list's token is null": { lists: (list) => ({ ...list, nextPageToken: null }) },
    "an empty list is left out": {
      lists: (list, collection) => (members(list, collection).length === 0 ? {} : list),
    },
    "an empty list is null": {
      lists: (list, collection) => (members(list, collection).length === 0 ? { ...list, [collection]: null } : list),
    },
    "lists have undeclared members": { lists: (list) => ({ ...list, requestId: "r-1", took: 3 }) },
    "lists come in another order": kept((objects) => objects.reverse()),
    "lists have only the name of each object": kept((objects) => objects.map(({ name }) => ({ name }))),
    "lists leave the state out": kept((objects) => objects.map(({ state: _, ...object }) => object)),
    "lists have each object twice": kept((objects) => [...objects, ...objects]),
    "lists show no object, and count none": { lists: (_, collection) => ({ [collection]: [], totalSize: 0 }) },
    "lists show no object, and count one": { lists: (list, collection) => ({ ...list, [collection]: [] }) },
    "lists are under `items`": {
      lists: ({ totalSize, ...list }, collection) => ({ items: list[collection], totalSize }),
    },
    "lists are under `data`": { lists: (list, collection) => ({ data: list[collection] }) },
    "lists are within a result": { lists: (list) => ({ result: list }) },
    "lists have tombstones": {
      lists: (list, collection) => ({
        ...list,
        [collection]: [...members(list, collection), { name: `accounts/acme/${collection}/old`, state: "DELETED" }],
      }),
    },
    "lists have objects that are marked as deleted": {
      lists: (list, collection) => ({
        ...list,
        [collection]: [...members(list, collection), { name: `accounts/acme/${collection}/old`, deleted: true }],
      }),
    },
    "lists count one object more than they show": {
      lists: (list) => ({ ...list, totalSize: Number(list["totalSize"]) + 1 }),
    },
  }),
  { name: "lists are bare", ...refusing((list, collection) => list[collection]) },
  {
    name: "lists are maps by id",
    ...refusing((list, collection) => ({
      [collection]: Object.fromEntries(members(list, collection).map((object) => [String(object["name"]), object])),
    })),
  },
  {
    name: "lists are a number",
    ...refusing((list, collection) => ({ totalSize: members(list, collection).length + 1 })),
  },
  {
    name: "a list's token is in snake case",
    ...refusing((list, collection) => ({ [collection]: list[collection], next_page_token: "2" })),
  },
  { name: "lists are null", ...refusing(() => null) },
  { name: "lists are plain text", ...refusing(() => "none") },
];
