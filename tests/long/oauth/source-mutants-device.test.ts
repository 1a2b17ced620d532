import { DEVICE_MUTANTS } from './mutants/device-mutants';
import { expectRed } from './mutants/expect-red';

expectRed(DEVICE_MUTANTS);
