import { expectRed } from './mutants/expect-red';
import { RESOURCE_MUTANTS } from './mutants/resource-mutants';

expectRed(RESOURCE_MUTANTS);
