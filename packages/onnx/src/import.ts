import type { FlourContext } from '@brezel/flour';
import { ownResolvers } from '@brezel/tensors';
import { withChosenBoxes } from './black-box/choice.js';
import { wronglyDeclared } from './declared-sizes.js';
import { OnnxError } from './errors.js';
import { exporterFaults } from './exporter-faults.js';
import { GraphImporter } from './graph-importer.js';
import { type ImportedModel, type ImportOptions, importOptionNames } from './import-options.js';
import { withInputWidths } from './input-widths.js';
import { modelFacts } from './model-facts.js';
import { type OpenedModel, openModel } from './open-model.js';
import { checkImportContext, checkImportOptions } from './option-names.js';
import { importRowByRow } from './row-by-row/import.js';
import { rowLimits } from './row-by-row/row-limits.js';
import { rowOperators } from './rows/black-box.js';

/**
 * Imports an ONNX file as a row program: the first axis of every input counts the rows. Brezel
 * computes what the file says. If an exporter wrote a wrong file, Brezel warns but does not correct
 * it.
 *
 * Cost: O(bytes). The call blocks its thread, for one to two seconds with a file of 100 MB
 * (docs/adr/0009-import-is-synchronous.md). `importModelAsync` of brezel imports on a worker
 * thread. Until the plan of a file with 100 MB of trees is compiled, the process needs 5 times the
 * size of the file in memory, or 11 times with the operator TreeEnsemble-5. These sizes include
 * `bytes`. To limit the memory, set `limits.fileBytes`. If the import fails, the store is
 * unchanged.
 * @throws ERR_ONNX_FORMAT, ERR_ONNX_LIMIT, ERR_ONNX_GRAPH, ERR_ONNX_ATTRIBUTE, ERR_ONNX_TENSOR for
 * a damaged file; ERR_ONNX_UNSUPPORTED with node, operator and opset; ERR_ONNX_SHAPE for an
 * operator that mixes rows; ERR_ONNX_WEIGHT with node, parameter and index of a weight that is NaN;
 * ERR_ONNX_OPTION for an unknown option, or if the context is missing.
 * @example const { program } = importOnnx(readFileSync('model.onnx'), flour);
 */
export function importOnnx(bytes: Uint8Array, flour: FlourContext, options: ImportOptions = {}): ImportedModel {
  checkImportContext(flour, 'importOnnx');
  checkImportOptions(options, importOptionNames, 'importOnnx');
  const limitsOfRows = rowLimits(options.rowByRow);
  const opened = openModel(bytes, options, flour.store.memory.wire, options.progress);
  try {
    return importRows(opened, flour, options);
  } catch (why) {
    const isPossible = limitsOfRows !== undefined && why instanceof OnnxError && noRows.has(why.code);
    const model = isPossible ? importRowByRow(opened, flour, options, limitsOfRows, why) : undefined;
    if (model === undefined) throw why;
    return model;
  }
}

/**
 * The codes of errors that mean that a row program cannot compute the model. After such an error,
 * `importModel` tries a tensor program, and `importOnnx` tries the option `rowByRow` if it is set.
 */
export const noRows: ReadonlySet<string> = new Set(['ERR_ONNX_UNSUPPORTED', 'ERR_ONNX_SHAPE']);

/**
 * The steps that the import budget counts for each element of a parameter. The element is
 * converted, checked and copied to the store.
 */
const PARAMETER_STEPS = 4;

/** Converts an opened model to a row program. */
export function importRows(
  opened: OpenedModel,
  flour: FlourContext,
  { name, nonFinite, blackBox, progress, repairNgrams = false }: ImportOptions,
): ImportedModel {
  const { budget } = opened;
  const widths: string[] = [];
  const model = withInputWidths(opened.model, (warning) => void widths.push(warning));
  const split = withChosenBoxes(model, [...ownResolvers, rowOperators], 'rows', budget, blackBox);
  const importer = new GraphImporter(split, flour, budget, repairNgrams, progress);
  const onParameter = (elements: number) => budget.computed(elements, PARAMETER_STEPS, 'a parameter of the program');
  const program = flour.attempt(() => importer.run(name), { nonFinite, onParameter });
  const blackBoxes = [...split.boxes.values()];
  const facts = modelFacts(opened);
  const warnings = [
    ...widths,
    ...importer.warnings,
    ...wronglyDeclared(facts.declaredOutputs, program),
    ...exporterFaults(model),
  ];
  return {
    program,
    ...facts,
    warnings,
    blackBoxes,
    outputLayouts: importer.outputLayouts,
    conversions: importer.conversions,
  };
}
