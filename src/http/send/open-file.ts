import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { refuse } from '../../errors/refuse.js'

/** The error codes for a missing file. `ENXIO` is the error code for a socket. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'ENXIO']

/** Without `O_NONBLOCK`, opening a FIFO would wait for its writer and block one of the threads that all files share. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** An open regular file. The caller must close the handle. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly size: number
  /** The time of the last change to the content, in nanoseconds since 1970. */
  readonly changedAt: bigint
}

/**
 * Opens a file in a folder.
 *
 * @param root The folder. No file outside this folder is opened.
 * @param path The file, relative to the folder.
 * @throws HttpError 404 for a path that is not a regular file in the folder.
 * @throws Error if the folder does not exist, or if a file cannot be read.
 */
export async function openFile(root: string | URL, path: string): Promise<OpenFile> {
  const folder = await realFolder(root)
  if (!isInside(path)) throw refuse('NOT_FOUND')
  const target = join(folder, path)
  const real = await existing(realpath(target))
  if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) throw refuse('NOT_FOUND')
  // All links have already been resolved. The flags refuse a link that was created as the last segment since then.
  const handle = await existing(open(real, FLAGS))
  try {
    const stat = await handle.stat({ bigint: true })
    const isMoved = (await existing(realpath(real))) !== real
    if (isMoved || !stat.isFile()) throw refuse('NOT_FOUND')
    return { handle, size: Number(stat.size), changedAt: stat.mtimeNs }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Whether a path refers to a file below its folder. Names that begin with a dot are excluded, because such names are
 * used for settings, keys and repositories.
 */
function isInside(path: string): boolean {
  const isForeign =
    path.includes('\0') || path.includes('\\') || (sep === '\\' && path.includes(':'))
  return !isForeign && path.split('/').every((part) => part !== '' && !part.startsWith('.'))
}

async function realFolder(root: string | URL): Promise<string> {
  const folder = root instanceof URL ? fileURLToPath(root) : resolve(root)
  try {
    return await realpath(folder)
  } catch (cause) {
    throw new Error(
      `The \`root\` of a fileResponse cannot be read: '${folder}'. Create this folder, or allow access to it.`,
      {
        cause,
      },
    )
  }
}

async function existing<T>(found: Promise<T>): Promise<T> {
  try {
    return await found
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? '')) throw refuse('NOT_FOUND')
    throw error
  }
}
