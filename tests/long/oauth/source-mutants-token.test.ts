import { expectRed } from './mutants/expect-red';
import { TOKEN_MUTANTS } from './mutants/token-mutants';

expectRed(TOKEN_MUTANTS);
