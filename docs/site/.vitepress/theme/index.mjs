import theme from 'vitepress/theme';
import './site.css';

// VitePress reads the theme from the default export.
export default theme;
