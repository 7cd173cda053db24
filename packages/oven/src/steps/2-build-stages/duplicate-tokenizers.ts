import { isText, tokensOrText } from '../../kinds.js';
import { freshId, type LogicalPlan, usersOf } from '../../logical-plan.js';
import { rule } from '../../rule.js';

/**
 * Gives every user of a tokenizer (or of normalized text) its own: tokens are never materialized between stages, because cutting the text
 * again inside the fused kernel costs 0.3 µs, less than writing the tokens down and reading them once.
 */
export const duplicateTokenizers = rule({
  name: 'duplicate-tokenizers',
  summary:
    'gives every reader of tokens a tokenizer of its own: cutting a text again is cheaper than storing its tokens',
  step: 'build-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: true,
  // A function of a user is not called twice: what it gives is kept.
  targets: ({ operator, type }) => operator !== undefined && !operator.annotations.javascript && tokensOrText(type),
  apply(node, plan): LogicalPlan | undefined {
    const [first, ...others] = usersOf(plan, node.id);
    if (
      first === undefined ||
      others.length === 0 ||
      (isText(node.type) && others.every((user) => !tokensOrText(user.type)))
    )
      return undefined;
    const id = freshId(plan);
    const nodes = plan.nodes.flatMap((one) => {
      if (one.id === node.id) return [node, { ...node, id }];
      return one.id === first.id
        ? [{ ...one, inputs: one.inputs.map((input) => (input === node.id ? id : input)) }]
        : [one];
    });
    return { ...plan, nodes };
  },
});
