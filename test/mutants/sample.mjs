import { createHash } from 'node:crypto'
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'

/** One declaration out of so many is changed. `run.mjs` takes the number from `rooms.mjs`. */
const ONE_OF = Number(process.env.MUTANTS_ONE_OF ?? 1)
const IGNORED = 'not in the sample'

/**
 * Takes a sample of the declarations of a room: functions, classes' members, constants. The names decide, so a
 * declaration stays in the sample, or out of it, while the code around it changes.
 */
const sample = {
  shouldIgnore(path) {
    const name = isDeclaration(path) ? nameOf(path.node) : null
    return name === null || isChosen(name) ? undefined : IGNORED
  },
}

/** Whether a node is a statement of a file or a member of a class. A class is not, because its members are. */
function isDeclaration({ node, parentPath }) {
  if (parentPath?.isClassBody()) return true
  const { type } = node.declaration ?? node
  return parentPath?.isProgram() === true && type !== 'ClassDeclaration'
}

/** The name of a declaration; `null` for a statement without a name, which is always in the sample. */
function nameOf(node) {
  const declared = node.declaration ?? node
  const named = declared.declarations?.[0] ?? declared
  const { name, value, id } = named.id ?? named.key ?? {}
  return name ?? value ?? id?.name ?? null
}

function isChosen(name) {
  const digest = createHash('sha256').update(String(name)).digest()
  return digest.readUInt32BE() % ONE_OF === 0
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'sample', sample)]
