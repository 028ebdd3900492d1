import type { NewNote, Note } from './notes-schemas.js'

/** Stores the notes in this process. Replace this class with a database. */
export class NotesStore {
  private readonly notes: Note[] = []

  add(note: NewNote): Note {
    const added = { id: this.notes.length + 1, ...note }
    this.notes.push(added)
    return added
  }

  find(id: number): Note | undefined {
    return this.notes[id - 1]
  }

  list(limit: number): Note[] {
    return this.notes.slice(-limit)
  }
}
