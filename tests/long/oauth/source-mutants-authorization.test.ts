import { AUTHORIZATION_MUTANTS } from './mutants/authorization-mutants';
import { expectRed } from './mutants/expect-red';

expectRed(AUTHORIZATION_MUTANTS);
