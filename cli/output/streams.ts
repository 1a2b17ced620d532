export interface Streams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Progress line on a terminal, shown until it is stopped. */
export interface ProgressLine {
  update(text: string): void;
  stop(): void;
}
