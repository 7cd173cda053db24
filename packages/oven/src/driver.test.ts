import { FlourContext, type Flow } from '@brezel/flour';
import { ObjectStore } from '@brezel/object-store';
import { bake, explain, type LogicalPlan, OvenError, type RuleEvent, rule, rules, stepNames } from '@brezel/oven';
import { beforeEach, describe, expect, it } from 'vitest';

let flour: FlourContext;
beforeEach(async () => {
  flour = new FlourContext(await ObjectStore.open());
});

const counts = () => {
  const text = flour.columns({ text: 'string' }).select('text');
  return text.tokenize().wordNgram({ vocabulary: [['good'], ['bad']] });
};
const mirrored = () => flour.program({ scores: counts().linear({ weights: [-1, 1, 2, -2], bias: [0.5, -0.5] }) });
const operatorsOf = (plan: ReturnType<typeof bake>) =>
  plan.stages.flatMap(({ stage }) => stage.steps.map((step) => step.operator));

describe('the driver', () => {
  it('disables regrouping rules if exact is set', () => {
    expect(operatorsOf(bake(mirrored()))).toContain('mirror');
    expect(operatorsOf(bake(mirrored(), { exact: true }))).not.toContain('mirror');
    expect(rules.filter((one) => !one.exact).map((one) => one.name)).toEqual([
      'fold-affine-chains',
      'fold-affine-into-forest',
      'merge-added-forests',
      'push-linear-through-concat',
      'push-linear-through-select',
      'fold-affine-into-linear',
      'round-count-weights',
      'fold-mirrored-classes',
      'fold-normalize-into-linear',
      'mark-sparse-dense',
    ]);
  });

  it('disables a rule by name, and rejects unknown names', () => {
    expect(operatorsOf(bake(mirrored(), { disable: ['fold-mirrored-classes'] }))).not.toContain('mirror');
    expect(() => bake(mirrored(), { disable: ['fold-everything'] })).toThrow(
      expect.objectContaining({ code: 'ERR_OVEN_NAME', message: expect.stringContaining('fold-mirrored-classes') }),
    );
  });

  it('names the rule that causes a wrong type', () => {
    const broken = rule({
      name: 'break-it',
      step: 'optimize-stages',
      over: 'plan',
      exact: true,
      apply: (plan) => ({ ...plan, nodes: plan.nodes.map((node) => ({ ...node, type: { kind: 'tokens' as const } })) }),
    });
    expect(() => bake(mirrored(), { rules: [broken] })).toThrow(
      expect.objectContaining({ code: 'ERR_OVEN_SCHEMA', message: expect.stringContaining('break-it') }),
    );
  });

  it.each<[string, (plan: LogicalPlan) => LogicalPlan, string, RegExp]>([
    ['throws', () => JSON.parse('{') as never, 'ERR_OVEN_RULE_FAILED', /at rule mine: .*JSON/],
    ['gives no plan', () => ({}) as never, 'ERR_OVEN_RULE_FAILED', /at rule mine: /],
    ['loses nodes', (plan) => ({ ...plan, nodes: plan.nodes.slice(0, 1) }), 'ERR_OVEN_RULE_FAILED', /not in the plan/],
    [
      'loses outputs',
      (plan) => ({ ...plan, outputs: [] }),
      'ERR_OVEN_SCHEMA',
      /outputs scores at .*mine, received none/,
    ],
    ['never rests', (plan) => ({ ...plan }), 'ERR_OVEN_RULE', /changes: mine$/],
  ])('names a rule that %s, and keeps nothing', (_, apply, code, said) => {
    const program = mirrored();
    const before = flour.store.stats();
    const mine = rule({ name: 'mine', step: 'optimize-stages', over: 'plan', exact: true, apply });
    expect(() => bake(program, { rules: [mine] })).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(said), hint: expect.stringContaining('disable') }),
    );
    expect(flour.store.stats()).toEqual(before);
  });

  it('passes errors of observe on, without the name of a rule', () => {
    const observe = () => {
      throw new TypeError('observe failed');
    };
    expect(() => bake(mirrored(), { observe })).toThrow(new TypeError('observe failed'));
  });

  it('asks a rule once whether it accepts a node of an unchanged plan', () => {
    const asked = new Map<unknown, number>();
    const mine = rule({
      name: 'mine',
      step: 'optimize-stages',
      over: 'nodes',
      order: 'top-down',
      exact: true,
      targets(node) {
        asked.set(node, (asked.get(node) ?? 0) + 1);
        return true;
      },
      apply: () => undefined,
    });
    bake(mirrored(), { rules: [mine] });
    expect(asked.size).toBeGreaterThan(2);
    expect(Math.max(...asked.values())).toBe(1);
  });

  it('stops rules that reverse each other, and names them', () => {
    const rename = (name: string, from: string, to: string) =>
      rule({
        name,
        step: 'optimize-stages',
        over: 'plan',
        exact: true,
        apply: (plan) => (plan.name === from ? { ...plan, name: to } : undefined),
      });
    const fighting = [rename('there', 'program', 'other'), rename('back', 'other', 'program')];
    expect(() => bake(mirrored(), { rules: fighting })).toThrow(
      expect.objectContaining({
        code: 'ERR_OVEN_RULE',
        message: expect.stringMatching(/changes: (there and back|back and there)$/),
      }),
    );
  });

  it('stops after a maximum number of changes', () => {
    const text = flour.columns({ text: 'string' }).select('text');
    const branch = () => text.tokenize().wordNgram({ vocabulary: [['good']] });
    const program = flour.program({
      scores: branch()
        .concat(branch())
        .linear({ weights: [-1, 1, 2, -2], bias: [0, 0] }),
    });
    const fired = (stopAfter?: number) => {
      const names: string[] = [];
      const observe = (event: RuleEvent) => void (event.step === 'optimize-stages' && names.push(event.rule));
      bake(program, { observe, ...(stopAfter !== undefined && { stopAfter }) }).release();
      return names;
    };
    const all = fired();
    expect(all).toContain('fold-mirrored-classes');
    for (let after = 0; after <= all.length; after++) expect(fired(after)).toEqual(all.slice(0, after));
  });

  /**
   * Bakes the sum of x and `count` terms, which `term` returns. Returns the changes and the plan.
   */
  function longSum(count: number, term: (x: Flow<'vector'>) => Flow<'vector'>) {
    const x = flour.input('x', { kind: 'vector', dtype: 'float32', size: 2 });
    let sum: Flow<'vector'> = x;
    for (let index = 0; index < count; index++) sum = sum.arithmetic('add', term(x));
    const events: RuleEvent[] = [];
    const plan = bake(flour.program({ sum }), { exact: true, observe: (event) => void events.push(event) });
    const changed = events.filter(({ before, after }) => after.nodes !== before.nodes);
    return { changed, plan };
  }

  it('joins all memory-bound stages of a chain in one change', () => {
    const { changed, plan } = longSum(20, (x) => x);
    expect(changed.filter(({ rule }) => rule === 'group-by-bound').length).toBe(1);
    expect(plan.stages.length).toBe(1);
    plan.release();
  });

  it('limits the work for a long program, because each change copies the plan', () => {
    const { changed, plan } = longSum(600, (x) => x.map('sin'));
    const copied = changed.reduce((total, { after }) => total + after.nodes.length, 0);
    expect(copied).toBeLessThan(2 ** 16 + 2 * 1201);
    const operators = plan.stages.flatMap(({ stage }) => stage.steps.map((step) => step.operator));
    expect(operators.filter((name) => name === 'arithmetic').length).toBe(600);
    plan.release();
  });

  it('names the rules that the limit for long programs has stopped', () => {
    const x = flour.input('x', { kind: 'vector', dtype: 'float32', size: 2 }) as Flow<'vector'>;
    const repeated = (count: number) => {
      let sum: Flow<'vector'> = x;
      for (let index = 0; index < count; index++) sum = sum.arithmetic('add', x.map('sin'));
      return flour.program({ sum }, { name: `sum of ${count}` });
    };
    const [short, long] = [bake(repeated(20)), bake(repeated(600))];
    expect(short.stoppedRules).toBeUndefined();
    expect(long.stoppedRules).toEqual({
      changedNodes: 2 ** 16,
      rules: ['merge-equal-stages', 'eliminate-common-branches'],
    });
    for (const plan of [short, long]) plan.release();
    const programs = [repeated(600), repeated(20)];
    const text = explain(programs);
    expect(text.match(/rules stopped: .*\n.*\n.*/g)).toEqual([
      [
        'rules stopped: optional rules changed more than 65536 nodes, the limit for one program.',
        '  These rules could still change the plan: merge-equal-stages, eliminate-common-branches.',
        '  The plan is correct, but may be slower.',
      ].join('\n'),
    ]);
    const { models } = JSON.parse(explain(programs, { format: 'json' }));
    expect(models.map((model: { stoppedRules?: object }) => model.stoppedRules)).toEqual([
      long.stoppedRules,
      undefined,
    ]);
  });

  it('searches for stopped rules without changing the plan or calling the observer', () => {
    const x = flour.input('x', { kind: 'vector', dtype: 'float32', size: 2 }) as Flow<'vector'>;
    let calls = 0;
    const late = rule({
      name: 'rename-late',
      step: 'optimize-stages',
      over: 'plan',
      exact: true,
      apply: (plan) => (++calls > 0 && plan.name === 'renamed' ? undefined : { ...plan, name: 'renamed' }),
    });
    let sum: Flow<'vector'> = x;
    for (let index = 0; index < 600; index++) sum = sum.arithmetic('add', x.map('sin'));
    const events: RuleEvent[] = [];
    const before = flour.store.stats();
    const plan = bake(flour.program({ sum }), { rules: [late], observe: (event) => void events.push(event) });
    expect(plan.stoppedRules!.rules).toContain('rename-late');
    expect(calls).toBe(1);
    expect(plan.name).toBe('program');
    expect(events.map((event) => event.rule)).not.toContain('rename-late');
    plan.release();
    expect(flour.store.stats()).toEqual(before);
  });

  it('does not show a rule a plan that the rule did not change', () => {
    const seen: object[] = [];
    const look = rule({
      name: 'look-at-plans',
      step: 'optimize-stages',
      over: 'plan',
      exact: true,
      apply: (plan) => void seen.push(plan),
    });
    const fired: string[] = [];
    bake(mirrored(), { rules: [look], observe: (event) => void fired.push(event.rule) }).release();
    expect(fired).toContain('fold-mirrored-classes');
    expect(seen.length).toBe(new Set(seen).size);
  });

  it('runs custom steps between the steps of Oven', () => {
    const seen: string[] = [];
    const look = rule({
      name: 'look-around',
      step: 'look',
      over: 'stages',
      order: 'bottom-up',
      exact: true,
      targets: (stage) => stage.role === 'model',
      apply: (_, plan) => void seen.push(...plan.stages.map((stage) => stage.role)),
    });
    const steps = ['validate-input', 'build-stages', 'look', 'optimize-stages', 'validate-output'];
    bake(mirrored(), { steps, rules: [look] }).release();
    // Rules see both stages twice, because stages are built again after the optimization.
    expect(new Set(seen)).toEqual(new Set(['featurizer', 'model']));
    for (const [options, told] of [
      [{ rules: [look] }, 'one of the steps validate-input'],
      [{ steps: ['look'], rules: [look] }, 'each step once'],
      [{ steps: [...stepNames].reverse() }, 'in this order'],
      [{ steps: [...stepNames, 'validate-input'] }, 'each step once'],
      [{ steps, rules: [look, look] }, 'an unused name at rules, received look-around'],
      [{ disable: ['check-graph'] }, 'received check-graph'],
    ] as const) {
      expect(() => bake(mirrored(), options)).toThrow(
        expect.objectContaining({ code: 'ERR_OVEN_NAME', message: expect.stringContaining(told) }),
      );
    }
  });

  it('releases every parameter of a failed compilation', () => {
    const program = mirrored();
    const before = flour.store.stats();
    const failing = rule({
      name: 'fail-late',
      step: 'validate-output',
      over: 'plan',
      exact: true,
      apply() {
        throw new OvenError('ERR_OVEN_GRAPH', { message: 'late', hint: 'none' });
      },
    });
    expect(() => bake(program, { rules: [failing] })).toThrow('late');
    expect(flour.store.stats()).toEqual(before);
  });

  it('releases what a plan holds, once', () => {
    const program = mirrored();
    const before = flour.store.stats();
    const plan = bake(program);
    expect(flour.store.stats().references).toBeGreaterThan(before.references);
    plan.release();
    plan.release();
    expect(flour.store.stats()).toEqual(before);
  });

  it('compiles a program that returns its input', () => {
    const text = flour.columns({ text: 'string' }).select('text');
    const plan = bake(flour.program({ same: text }));
    expect(plan.stages).toEqual([]);
    expect(plan.outputs[0]!.slot).toBe(0);
  });
});

describe('identities', () => {
  it('plans of equal programs share every stage, for any names and any order of creation', () => {
    const first = bake(flour.program({ score: counts().logistic({ weights: [1, 2] }) }, { name: 'first' }));
    flour.columns({ other: 'string' }).select('other').tokenize();
    const second = bake(flour.program({ score: counts().logistic({ weights: [1, 2] }) }, { name: 'second' }));
    expect(second.stages.map(({ stage }) => stage.key)).toEqual(first.stages.map(({ stage }) => stage.key));
  });

  it('models with one featurizer share its stage', () => {
    const [a, b] = [
      [1, 2],
      [3, 4],
    ].map((weights) => bake(flour.program({ score: counts().logistic({ weights }) })));
    expect(a!.stages.map(({ stage }) => stage.role)).toEqual(['featurizer', 'model']);
    expect(b!.stages[0]!.stage.key).toBe(a!.stages[0]!.stage.key);
    expect(b!.stages[1]!.stage.key).not.toBe(a!.stages[1]!.stage.key);
    expect(b!.stages[1]!.stage.program).toBe(a!.stages[1]!.stage.program);
  });
});

describe('explain', () => {
  it('prints stages, kernels, parameters and rules', () => {
    const shown = explain(mirrored());
    for (const part of [
      '2 stages',
      'featurizer',
      'kernels: text_ngram (2 operators)',
      'fold-mirrored-classes',
      'output  scores  : float32[2]  = s2.2',
      'computes one of two scores',
    ]) {
      expect(shown).toContain(part);
    }
  });

  it('says why a model of counts has float sums', () => {
    const scored = (weights: readonly number[]) =>
      explain(flour.program(flour.attempt(() => ({ y: counts().linear({ weights }) }), { nonFinite: 'allow' })));
    expect(scored([1, -1])).toMatch(/count-linear\(.*integer weights, each occurrence/);
    expect(scored([1, 1e-9])).toMatch(/ linear\(.*float sums, not count-linear: weights too unequal/);
    expect(scored([1, Number.NaN])).toMatch(/ linear\(.*float sums, not count-linear: a weight is not finite/);
  });

  it('shows each rule with its changes if verbose is set', () => {
    const shown = explain(mirrored(), { verbose: true });
    expect(shown).toMatch(/rule fold-mirrored-classes {2}\(optimize-stages, \d+ µs\)\n(.*\n)*? {2}\+ .*mirror/);
  });

  it('returns JSON and DOT, and leaves nothing in the store', () => {
    const program = mirrored();
    const before = flour.store.stats();
    expect(JSON.parse(explain(program, { format: 'json' })).stages).toHaveLength(2);
    expect(explain(program, { format: 'dot' })).toMatch(/^digraph "program" \{/);
    expect(flour.store.stats()).toEqual(before);
  });
});
