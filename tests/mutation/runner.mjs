// Runs inside vitest. Each test runs once as it is, which says what it covers; then again for every mutant that it
// covers and that no test has killed yet. What happens is appended to a log at once, so that a mutant that takes the
// process with it is known by its last line.
import { appendFileSync, readFileSync } from 'node:fs';
import { VitestTestRunner } from 'vitest/runners';

/** Steps of loops beyond which a mutant has made one endless: so many times what the test takes, and some more. */
const STEPS_FACTOR = 20;
const STEPS_MORE = 200_000;
/** Kills after which the test has to pass again without a mutant: they may have left something behind. */
const KILLS_UNTIL_CHECK = 20;

const task = JSON.parse(readFileSync(process.env.SLUICE_MUTATION_TASK, 'utf8'));
const log = (entry) => appendFileSync(task.log, `${JSON.stringify(entry)}\n`);
const alive = new Set(task.mutants);

const state = {
  active: task.active ?? 0,
  covered: new Set(),
  steps: 0,
  mostSteps: task.active === null ? Number.POSITIVE_INFINITY : STEPS_MORE * 100,
};

globalThis.__mutation = {
  mutant(id) {
    if (state.active === 0) state.covered.add(id);
    return id === state.active;
  },
  step() {
    state.steps += 1;
    if (state.steps > state.mostSteps) throw new Error('A mutant has made a loop endless.');
  },
};

export default class MutationRunner extends VitestTestRunner {
  /** Mutants that the test has yet to be run with. */
  #queue = [];
  /** Mutants killed since the test last passed without one. */
  #unchecked = [];
  #cleanSteps = 0;
  /** Something was left behind: what the other tests of this process would say is worth nothing. */
  #spoilt = false;

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask?.(test);
    if (this.#spoilt) test.mode = 'skip';
    if (state.active !== 0 || this.#spoilt) return;
    if (state.covered.size > 0) {
      log({ kind: 'static', mutants: [...state.covered] });
      state.covered.clear();
    }
    if (task.kind === 'mutate') test.repeats = Number.MAX_SAFE_INTEGER;
  }

  async onBeforeTryTask(test, run) {
    if (task.active === null) {
      this.#queue = run.repeats === 0 ? [] : this.#queue;
      const next = run.repeats === 0 || this.#mustCheck() ? 0 : (this.#queue.shift() ?? 0);
      state.steps = 0;
      state.mostSteps = next === 0 ? Number.POSITIVE_INFINITY : this.#cleanSteps * STEPS_FACTOR + STEPS_MORE;
      if (next !== 0) log({ kind: 'try', mutant: next });
      state.active = next;
    }
    return super.onBeforeTryTask?.(test, run);
  }

  async onAfterRetryTask(test, run) {
    await super.onAfterRetryTask?.(test, run);
    const { result } = test;
    if (result.pending || result.state === 'skip') return;
    const failed = result.state === 'fail';
    const name = `${test.file.name} > ${test.name}`;
    if (task.active !== null) {
      if (failed) log({ kind: 'killed', mutant: task.active, by: name });
      return;
    }
    const mutant = state.active;
    state.active = 0;
    if (run.repeats === 0) {
      if (failed) log({ kind: 'broken', test: name, error: String(result.errors?.[0]?.message) });
      else log({ kind: 'covered', mutants: [...state.covered] });
      this.#cleanSteps = state.steps;
      this.#queue = [...state.covered].filter((id) => alive.has(id));
      this.#unchecked = [];
      state.covered.clear();
      if (task.kind === 'cover') return;
      if (failed) this.#queue = [];
    } else if (mutant === 0) {
      state.covered.clear();
      if (failed) {
        log({ kind: 'doubted', mutants: this.#unchecked, test: name });
        this.#spoilt = true;
        result.state = 'skip';
        return;
      }
      for (const id of this.#unchecked) log({ kind: 'killed', mutant: id, by: name });
      this.#unchecked = [];
    } else if (failed) {
      this.#unchecked.push(mutant);
      alive.delete(mutant);
    }
    if (failed || mutant !== 0) log({ kind: 'tried', mutant });
    const more = this.#queue.length > 0 || this.#unchecked.length > 0;
    result.state = more ? 'run' : 'skip';
    result.errors = undefined;
  }

  /** Whether the next run is one without a mutant. */
  #mustCheck() {
    if (this.#unchecked.length === 0) return false;
    return this.#queue.length === 0 || this.#unchecked.length >= (task.strict ? 1 : KILLS_UNTIL_CHECK);
  }
}
