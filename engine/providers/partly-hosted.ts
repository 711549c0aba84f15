import type { PropertyMap } from "../state/types";
import { parseUrn } from "../state/urns";
import type {
  CheckCall,
  CreateCall,
  DeleteCall,
  DiffCall,
  InvokeCall,
  ReadCall,
  ResourceCall,
  ResourceProvider,
  UpdateCall,
} from "./provider";

/** One instance of a package of which this process serves some types, and a process of the package's the others. */
export class PartlyHosted implements ResourceProvider {
  constructor(
    private readonly serves: (token: string) => boolean,
    private readonly hosted: ResourceProvider,
    private readonly others: ResourceProvider,
  ) {}

  private of = ({ urn }: ResourceCall): ResourceProvider =>
    this.serves(parseUrn(urn).type) ? this.hosted : this.others;

  configure(config: PropertyMap): void {
    for (const each of [this.hosted, this.others]) each.configure?.(config);
  }

  check = (call: CheckCall) => this.of(call).check(call);
  diff = (call: DiffCall) => this.of(call).diff(call);
  create = (call: CreateCall) => this.of(call).create(call);
  update = (call: UpdateCall) => this.of(call).update(call);
  delete = (call: DeleteCall) => this.of(call).delete(call);
  refusal = async (call: DeleteCall) => this.of(call).refusal?.(call);
  read = (call: ReadCall) => this.of(call).read(call);

  async invoke(call: InvokeCall): Promise<PropertyMap> {
    return (this.serves(call.token) ? this.hosted : this.others).invoke!(call);
  }
}
