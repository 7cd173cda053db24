import { openFleet } from '/web.js';

const element = (id) => document.getElementById(id);
const [review, answer, result, score, bar] = ['review', 'answer', 'result', 'score', 'bar'].map(element);

try {
  const fleet = await openFleet('/fleet.brezel');
  const plan = fleet.plan('sentiment');
  const show = () => {
    const { label, probabilities } = plan.predictSync(review.value);
    const percent = (100 * probabilities[label]).toFixed(1);
    answer.textContent = `${label === 1 ? 'positive' : 'negative'}, ${percent} %`;
    score.ariaValueNow = 100 * probabilities[1]; // a meter counts from 0 to 100
    bar.style.width = `${score.ariaValueNow}%`;
  };
  review.addEventListener('input', show);
  show();
  review.disabled = false;
  result.hidden = false;
} catch (error) {
  answer.textContent = `${error.code}: ${error.message}`;
}
