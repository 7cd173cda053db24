export { seed } from '../../../../../testing/seed.js';
