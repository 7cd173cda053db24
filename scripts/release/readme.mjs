// Prepares the README of a published package. A package registry does not have the files of the
// repository, so relative links become absolute. Without the URL of a repository, links become
// text.

const LINK = /(?<!!)\[((?:[^\]]|\n)*?)\]\((?![a-z]+:|#)([^)]+)\)/g;
const IMAGE = /<img src="(?![a-z]+:)([^"]+)"[^>]*alt="([^"]*)"[^>]*>/g;

/**
 * Returns a README for a package registry. Relative links become links to the repository, or text
 * without a repository.
 *
 * @param {string} text of the README
 * @param {string} folder of the README in the repository, for example `packages/prom-client`
 * @param {string | undefined} repository the URL of the repository, without `.git`
 */
export function publishedReadme(text, folder, repository) {
  const url = (kind, path) => new URL(path, `${repository}/${kind}/HEAD/${folder === '' ? '' : `${folder}/`}`).href;
  if (repository === undefined) return text.replace(LINK, '$1').replace(IMAGE, '');
  return text
    .replace(LINK, (_, label, path) => `[${label}](${url('blob', path)})`)
    .replace(IMAGE, (image, path) => image.replace(path, url('raw', path)));
}
