// The origin of published packages: the URL of the repository, which the publisher passes.

const EXPECTED = 'an https or git URL of a repository, such as https://HOST/OWNER/NAME';

/**
 * Returns the https URL of a repository, without `.git` and without a slash at the end.
 *
 * @param {string} given `https://HOST/OWNER/NAME`, `git+https://...`, `git://...`, `ssh://git@...`
 * or `git@HOST:OWNER/NAME.git`
 * @throws an Error for another text, and for a URL that contains a password, a query or a fragment
 */
export function repositoryUrl(given) {
  const text = given.trim().replace(/^git@([\w.-]+):(?!\/)/, 'ssh://git@$1/');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^((git\+)?(https|ssh)|git):$/.test(url.protocol))
    throw new Error(`expected ${EXPECTED}, received ${shown(given)}`);
  const isUserOfSsh = url.protocol.endsWith('ssh:') && url.username === 'git';
  if (url.password !== '' || (url.username !== '' && !isUserOfSsh))
    throw new Error(`expected ${EXPECTED}, received a URL with a user name or a password`);
  const path = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  if (url.hostname === '' || !/^(\/[\w.~-]+){2,}$/.test(path) || url.search !== '' || url.hash !== '')
    throw new Error(`expected ${EXPECTED}, received ${shown(given)}`);
  const port = url.protocol.endsWith('https:') && url.port !== '' ? `:${url.port}` : '';
  return `https://${url.hostname}${port}${path}`;
}

/** Quotes a text for an error, unless it may contain a password or a token. */
const shown = (text) => (/[@?]/.test(text) ? 'a text that may contain a password' : JSON.stringify(text));

/**
 * Returns the fields of package.json that say where a package comes from. Without a repository, the
 * fields are `private`, so that npm installs the package but refuses to publish it.
 *
 * @param {string | undefined} repository the result of `repositoryUrl`
 * @param {string} directory of the package in the repository
 */
export function originFields(repository, directory) {
  if (repository === undefined) return { private: true };
  return {
    repository: { type: 'git', url: `git+${repository}.git`, directory },
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
  };
}
