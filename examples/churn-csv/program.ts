import type { FlourContext } from 'brezel';

/** Returns a churn model: a logistic regression of three columns of a customer table. */
export function churn(flour: FlourContext) {
  const customer = flour.columns({ months: 'float32', monthlyFee: 'float32', contract: 'string' });
  const months = customer.select('months').asVector();
  const fee = customer.select('monthlyFee').asVector();
  const numbers = months.concat(fee).scale({ offset: [32, 65], scale: [1 / 24, 1 / 30] });
  const contract = customer.select('contract').oneHot({ categories: ['monthly', 'yearly'] });
  return flour.program({ churn: numbers.concat(contract).logistic({ weights: [-0.9, 0.6, 0.7, -1.1] }) });
}
