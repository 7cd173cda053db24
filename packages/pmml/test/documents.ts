/** Returns a PMML document around a model. */
export const pmml = (dictionary: string, model: string, transformations = '', version = '4.4'): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<PMML version="${version}" xmlns="http://www.dmg.org/PMML-${version.replace('.', '_')}">
<Header><Application name="brezel-test" version="1"/></Header>
<DataDictionary>${dictionary}</DataDictionary>
${transformations}
${model}
</PMML>`;

/** Returns the data dictionary entry of a continuous double. */
export const double = (name: string, content = ''): string =>
  `<DataField name="${name}" optype="continuous" dataType="double">${content}</DataField>`;

/** Returns the data dictionary entry of a string with listed values. */
export const string = (name: string, values: readonly string[] = []): string =>
  `<DataField name="${name}" optype="categorical" dataType="string">${values
    .map((value) => `<Value value="${value}"/>`)
    .join('')}</DataField>`;

/** Returns a mining schema of active fields and a target. */
export const schema = (active: readonly string[], target?: string): string =>
  `<MiningSchema>${active.map((name) => (name.startsWith('<') ? name : `<MiningField name="${name}"/>`)).join('')}${
    target === undefined ? '' : `<MiningField name="${target}" usageType="target"/>`
  }</MiningSchema>`;
