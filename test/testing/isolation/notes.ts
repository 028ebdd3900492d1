import type { Request } from 'blazon'
import { z } from 'zod'

export const Note = z.object({ text: z.string() })

interface Kept {
  readonly id: number
  readonly owner: string
  readonly text: string
}

/** The fields of a note that a client sees. */
export interface ShownNote {
  readonly id: number
  readonly text: string
}

/** The notes of all owners. Its methods wait for one turn of the microtask queue, as a database waits for many. */
export class Notes {
  #all: Kept[] = []
  #last = 0

  async add(owner: string, text: string): Promise<ShownNote> {
    await Promise.resolve()
    this.#last++
    const note = { id: this.#last, owner, text }
    this.#all.push(note)
    return shown(note)
  }

  async of(owner: string): Promise<ShownNote[]> {
    await Promise.resolve()
    return this.#all.filter((note) => note.owner === owner).map(shown)
  }

  /** Does not check the owner. */
  async byId(id: number): Promise<ShownNote | undefined> {
    await Promise.resolve()
    const note = this.#all.find((each) => each.id === id)
    return note && shown(note)
  }

  async byOwnersId(owner: string, id: number): Promise<ShownNote | undefined> {
    return (await this.of(owner)).find((note) => note.id === id)
  }

  async change(owner: string, id: number, text: string): Promise<ShownNote | undefined> {
    const found = await this.byOwnersId(owner, id)
    if (found === undefined) return undefined
    this.#all = this.#all.map((note) => (note.id === id ? { ...note, text } : note))
    return { id, text }
  }

  /** Does not check the owner. */
  async changeOfAnyOwner(id: number, text: string): Promise<void> {
    await Promise.resolve()
    this.#all = this.#all.map((note) => (note.id === id ? { ...note, text } : note))
  }

  /** Does not check the owner. */
  async removeOfAnyOwner(id: number): Promise<void> {
    await Promise.resolve()
    this.#all = this.#all.filter((note) => note.id !== id)
  }

  ofAllOwners(): ShownNote[] {
    return this.#all.map(shown)
  }

  /** True if the note existed. */
  async remove(owner: string, id: number): Promise<boolean> {
    const found = await this.byOwnersId(owner, id)
    this.#all = this.#all.filter((note) => note.id !== found?.id)
    return found !== undefined
  }
}

const shown = ({ id, text }: Kept): ShownNote => ({ id, text })

/** The id in the path. */
export const idOf = (req: Request): number => Number(req.params['id'])
