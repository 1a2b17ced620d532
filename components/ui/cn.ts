import { type ClassValue, clsx } from 'clsx';
import { type ComponentProps, createElement, type ElementType, type FC } from 'react';
import { extendTailwindMerge } from 'tailwind-merge';

/** Registers the type scale of `globals.css`, so that `text-2xs` counts as a size and does not replace a colour. */
const merge = extendTailwindMerge({ extend: { classGroups: { 'font-size': [{ text: ['2xs'] }] } } });

/** Joins class names. Of two conflicting ones, the later wins. */
export function cn(...inputs: ClassValue[]): string {
  return merge(clsx(inputs));
}

/**
 * Wraps `element` with default classes and props that can be overridden. Bundlers drop unused calls that are marked as
 * pure.
 */
export function wrapWithStyle<E extends ElementType>(
  element: E,
  classes: string,
  defaults?: Partial<ComponentProps<E>> & Readonly<Record<`data-${string}`, string>>,
): FC<ComponentProps<E>>;
export function wrapWithStyle(element: ElementType, classes: string, defaults?: object): FC<{ className?: string }> {
  return ({ className, ...props }) =>
    createElement(element, { ...defaults, ...props, className: cn(classes, className) });
}
