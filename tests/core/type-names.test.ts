import { closedEnum, fieldsOf } from "../../provider/core/fields/fields";
import { z } from "../../provider/core/zod";
import { managedSpecs } from "../../provider/resources/index";
import { packageTypes } from "../../tools/schema/schema";
import { memberName, typeNames } from "../../tools/schema/type-names";
import { declaredFunctions } from "../../tools/sdk/files";

test.each([
  ["admin", "Admin"],
  ["inference-user", "InferenceUser"],
  ["ifEqual", "IfEqual"],
  ["STATE_UNSPECIFIED", "StateUnspecified"],
  ["VENDOR1_H100_80GB", "Vendor1H100_80gb"],
  ["US_IOWA_1", "UsIowa1"],
  ["VENDOR2_MI300X_192GB", "Vendor2Mi300x192gb"],
  ["FP8_MM_V2", "Fp8MmV2"],
])("the value %s of an enum has the name %s", (value, name) => {
  expect(memberName(value)).toBe(name);
});

test("the values of each enum have names of their own, which every language takes", () => {
  const enums = packageTypes(managedSpecs, declaredFunctions).all.filter(({ field }) => field.values);
  expect(enums.length).toBeGreaterThan(20);
  for (const { name, field } of enums) {
    const members = field.values!.map(memberName);
    expect({ name, doubled: members.filter((member, index) => members.indexOf(member) !== index) }).toEqual({
      name,
      doubled: [],
    });
    expect(members.filter((member) => !/^[A-Z][A-Za-z0-9_]*$/.test(member))).toEqual([]);
  }
});

test("enums with the same values and other meanings have names of their own", () => {
  const onDelete = (meaning: string) => fieldsOf(z.object({ onDelete: closedEnum({ keep: meaning, clear: "All." }) }));
  const names = typeNames([
    { owner: "Policy", fields: onDelete("The policy.") },
    { owner: "Routing", fields: onDelete("The routes.") },
  ]);
  expect(names.all.map(({ name }) => name)).toEqual(["PolicyOnDelete", "RoutingOnDelete"]);
});
