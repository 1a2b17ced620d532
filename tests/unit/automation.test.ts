import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { GitlabPipeline } from '@/tests/fixtures/gitlab-ci';
import { workflowFaults } from '@/tests/fixtures/workflow-parser';

const read = (name: string) => readFileSync(`docs/automation/${name}`, 'utf8');

describe('the GitHub Action', () => {
  const text = read('github-action.yml');

  test('is a workflow', async () => {
    expect(await workflowFaults(text)).toEqual([]);
  });

  test.each([
    ['runs-on:', 'run-on:'],
    ['secrets.SLUICE_TOKEN', 'secret.SLUICE_TOKEN'],
    ['pull-requests: write', 'pull-requests: all'],
  ])('with %s as %s would be none', async (right, wrong) => {
    expect(text).toContain(right);
    expect(await workflowFaults(text.replace(right, wrong))).not.toEqual([]);
  });
});

describe('the GitLab jobs', () => {
  const text = read('gitlab-ci.yml');

  test('are a pipeline', () => {
    expect(GitlabPipeline.safeParse(parse(text)).error).toBeUndefined();
  });

  test.each([
    ['resource_group:', 'resource-group:'],
    ['exit_codes: [4]', 'exit_codes: four'],
    ['stage: deploy', 'stage: release'],
  ])('with %s as %s would be none', (right, wrong) => {
    expect(text).toContain(right);
    expect(GitlabPipeline.safeParse(parse(text.replace(right, wrong))).success).toBe(false);
  });
});
