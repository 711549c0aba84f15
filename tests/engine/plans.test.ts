// First, so that the engine is read with its processes replaced.
import "../inline/processes";
import { playBoxes } from "./inline-boxes";
import { Plans, testPlans } from "./plans";

const plans = new Plans(playBoxes);
beforeAll(() => plans.begin());
afterAll(plans.end);

testPlans(plans);
