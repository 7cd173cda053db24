import { openFleet } from '/web.js';

const review = document.querySelector('#review');
const answer = document.querySelector('#answer');

try {
  const fleet = await openFleet('/fleet.brezel');
  const plan = fleet.plan('sentiment');
  const show = () => {
    answer.textContent = JSON.stringify(plan.predictSync(review.value));
  };
  review.addEventListener('input', show);
  review.disabled = false;
  show();
} catch (error) {
  answer.textContent = `${error.code}: ${error.message}`;
}
