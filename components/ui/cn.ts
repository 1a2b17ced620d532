import { type ClassValue, clsx } from 'clsx';
import { type ComponentProps, createElement, type ElementType, type FC } from 'react';
import { extendTailwindMerge } from 'tailwind-merge';

/** Knows the type scale of `globals.css`, so that `text-2xs` is a size and does not displace a colour. */
const merge = extendTailwindMerge({ extend: { classGroups: { 'font-size': [{ text: ['2xs'] }] } } });

/** Joins class names; of two that conflict, the later one wins. */
export function cn(...inputs: ClassValue[]): string {
  return merge(clsx(inputs));
}

/** `element` with classes and props that its user can override. Calls marked as pure are left out where not needed. */
export function styled<E extends ElementType>(
  element: E,
  classes: string,
  defaults?: Partial<ComponentProps<E>> & Readonly<Record<`data-${string}`, string>>,
): FC<ComponentProps<E>>;
export function styled(element: ElementType, classes: string, defaults?: object): FC<{ className?: string }> {
  return ({ className, ...props }) =>
    createElement(element, { ...defaults, ...props, className: cn(classes, className) });
}
