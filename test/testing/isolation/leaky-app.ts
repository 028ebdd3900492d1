import { Body, Controller, Get, HttpCode, NotFoundError, Post, type Request } from 'blazon'
import { z } from 'zod'

export const Note = z.object({ text: z.string() })

interface Kept {
  readonly id: number
  readonly owner: string
  readonly text: string
}

/** The notes of everybody, each under its owner. Asking takes a turn, as a database does. */
export class Notes {
  readonly #all: Kept[] = []

  async add(owner: string, text: string): Promise<Kept> {
    await Promise.resolve()
    const note = { id: this.#all.length + 1, owner, text }
    this.#all.push(note)
    return note
  }

  async of(owner: string): Promise<Kept[]> {
    await Promise.resolve()
    return this.#all.filter((note) => note.owner === owner)
  }

  async byId(id: number): Promise<Kept | undefined> {
    await Promise.resolve()
    return this.#all.find((note) => note.id === id)
  }
}

/** @returns The tenant of a request. */
export const tenantOf = (req: Request): string => req.get('x-tenant-id') ?? ''

const shown = ({ id, text }: Kept) => ({ id, text })

/** An application of four leaks, and of operations that have none. */
export function leakyControllers() {
  const notes = new Notes()
  const cache = new Map<string, unknown>()
  const flights = new Map<string, Promise<unknown>>()
  let current = ''

  @Controller('notes')
  class NotesController {
    @Post()
    @HttpCode(201)
    @Body(Note)
    async add(req: Request) {
      return shown(await notes.add(tenantOf(req), req.body.text))
    }

    @Get()
    async list(req: Request) {
      return (await notes.of(tenantOf(req))).map(shown)
    }

    /** Answers by id, whoever asks. */
    @Get(':id')
    async byId(req: Request) {
      const note = await notes.byId(Number(req.params['id']))
      if (note === undefined) throw new NotFoundError('There is no such note')
      return shown(note)
    }
  }

  @Controller('reports')
  class ReportsController {
    /** Keeps what was made for one under a key that is everybody's. */
    @Get('cached')
    async cached(req: Request) {
      const key = req.originalUrl
      const found = cache.get(key)
      if (found !== undefined) return found
      const made = (await notes.of(tenantOf(req))).map(shown)
      cache.set(key, made)
      return made
    }

    /** Remembers who asks where the next one writes over it. */
    @Get('current')
    async current(req: Request) {
      current = tenantOf(req)
      await Promise.resolve()
      return (await notes.of(current)).map(shown)
    }

    /** Lets one wait for what is being made for another. */
    @Get('flight')
    async flight(req: Request) {
      const key = req.path
      const under = flights.get(key)
      if (under !== undefined) return under
      const flight = notes.of(tenantOf(req)).then((all) => all.map(shown))
      flights.set(key, flight)
      return flight.finally(() => flights.delete(key))
    }
  }

  return [NotesController, ReportsController]
}
